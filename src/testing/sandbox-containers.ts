import type { Capture, CommandOutcome, CommandRequest, Container } from "../sandbox/port.ts";

/** Written on every container of the sandbox's own tests. */
export const testLabels = { campaign: "test", trial: "sandbox" };

export type Told = CommandOutcome & { readonly out: string; readonly err: string; readonly three: string };

/** One command with limits that a test need not think of, and its streams as text. */
export async function tell(
  container: Container,
  command: string,
  request: Partial<CommandRequest> = {},
  signal?: AbortSignal,
): Promise<Told> {
  const outcome = await container.run(
    { command, timeoutMs: 20_000, maxOutputBytes: 64 * 1024, ...request },
    signal,
  );
  return {
    ...outcome,
    out: textOf(outcome.stdout),
    err: textOf(outcome.stderr),
    three: textOf(outcome.descriptor3),
  };
}

export function bytesOf({ head, tail }: Capture): Buffer {
  return Buffer.concat([head, tail]);
}

function textOf(capture: Capture): string {
  return bytesOf(capture).toString("utf8");
}

export async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

export async function* streamOf(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    await Promise.resolve();
    yield piece;
  }
}
