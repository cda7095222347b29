import { expect, test } from "vitest";
import { InfrastructureError, UserError } from "../../errors.ts";
import { checked, codeOf, fail, ok, type Row, silent, together, warn } from "./row.ts";

const { signal } = new AbortController();
const never = (): Promise<Row> => new Promise(() => undefined);

test.each([
  ["the user's", new UserError("no such ref"), fail("x", "no such ref", "mend it")],
  [
    "with its own command",
    new UserError("b: not there. Run: skillproof validate b."),
    fail("x", "b: not there. Run: skillproof validate b.", "skillproof validate b"),
  ],
  ["something outside", new InfrastructureError("gone"), silent("x", "gone", "mend it")],
  ["no error at all", "odd", silent("x", "odd", "mend it")],
])("what is thrown becomes a row: %s", async (_what, thrown, row) => {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever is thrown
  const rows = await checked("x", () => Promise.reject(thrown), { signal, mend: "mend it" });
  expect(rows).toEqual([row]);
});

test("silence becomes a row, and hides no other; what was asked is told to stop", async () => {
  let told: AbortSignal | undefined;
  const slow = checked(
    "slow",
    (own) => {
      told = own;
      return never();
    },
    { signal, limitMs: 5 },
  );
  const rows = await together([
    slow,
    checked("quick", () => Promise.resolve(ok("quick", "here")), { signal }),
  ]);
  expect(rows).toEqual([silent("slow", "no answer in 0.005 s"), ok("quick", "here")]);
  expect(told?.aborted).toBe(true);
});

test("a user who stops it gets no row", async () => {
  const stop = new AbortController();
  const rows = checked("x", never, { signal: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(rows).rejects.toThrow("stopped");
  await expect(checked("x", never, { signal: stop.signal })).rejects.toThrow("stopped");
});

test.each([
  ["all ok", [ok("a", "")], 0],
  ["warnings", [ok("a", ""), warn("b", "")], 0],
  ["something is silent", [warn("a", ""), silent("b", "")], 3],
  ["something to mend", [fail("a", "")], 2],
  ["both: waiting mends nothing", [silent("a", ""), fail("b", "")], 2],
  ["nothing was checked", [], 0],
])("exit code: %s", (_what, rows, code) => {
  expect(codeOf(rows)).toBe(code);
});
