import type { Sandbox } from "../../sandbox/port.ts";

/** The same sandbox, and how many requests for a container are not met yet. */
export function countAwaited<S extends Sandbox>(
  sandbox: S,
): { readonly sandbox: S; readonly awaited: () => number } {
  let awaited = 0;
  const counted = <T extends Sandbox>(one: T): T => ({
    ...one,
    async open(...request: Parameters<Sandbox["open"]>) {
      awaited++;
      try {
        return await one.open(...request);
      } finally {
        awaited--;
      }
    },
  });
  const { endpoints } = sandbox;
  const all = counted(sandbox);
  const each = endpoints?.map(({ name, sandbox: one }) => ({ name, sandbox: counted(one) }));
  return { sandbox: each === undefined ? all : { ...all, endpoints: each }, awaited: () => awaited };
}
