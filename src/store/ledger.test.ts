import { appendFile, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { knownNanoUsd, settledAttempts, sumLedger } from "../artefacts/ledger.ts";
import { InfrastructureError, UserError } from "../errors.ts";
import type { Booking } from "../models/booking.ts";
import { sampleAttempt, sampleBegun } from "../testing/ledgers.ts";
import { type OpenLedger, openLedger, readAttempts, readLedger } from "./ledger.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ledger-"));
  file = join(folder, "campaign", "ledger.jsonl");
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function ledgerOf(limitNanoUsd: number | null = null): Promise<OpenLedger> {
  return openLedger(file, { limitNanoUsd, now: () => 1_700_000_000_000 });
}

function book(ledger: OpenLedger, over: Partial<Booking> = {}): void {
  ledger.reserve(sampleBegun(0))!.book(sampleAttempt(over));
}

const lost: Partial<Booking> = { costNanoUsd: null, source: "unknown", upToNanoUsd: 70, outcome: "given up" };

test("a line before and one after each attempt, numbered on by the next process", async () => {
  const first = await ledgerOf();
  book(first, { subject: "a" });
  book(first, { subject: "b" });
  first.close();
  const second = await ledgerOf();
  book(second, { subject: "c" });
  second.close();
  expect(await readLedger(file)).toEqual(
    ["a", "b", "c"].flatMap((subject, index) => {
      const place = { id: index + 1, at: "2023-11-14T22:13:20.000Z" };
      return [
        { kind: "begun", ...place, ...sampleBegun(0) },
        { kind: "attempt", ...place, ...sampleAttempt({ subject }) },
      ];
    }),
  );
});

test("attempts side by side keep their ids, and each line is on disk at once", async () => {
  const ledger = await ledgerOf();
  const [one, other] = [ledger.reserve(sampleBegun(1))!, ledger.reserve(sampleBegun(2))!];
  expect((await readLedger(file)).map(({ kind, id }) => [kind, id])).toEqual([
    ["begun", 1],
    ["begun", 2],
  ]);
  other.book(sampleAttempt());
  one.book(sampleAttempt());
  expect((await readLedger(file)).slice(2).map(({ kind, id }) => [kind, id])).toEqual([
    ["attempt", 2],
    ["attempt", 1],
  ]);
});

test("what a kill left under way is unknown, up to what was held for it", async () => {
  const killed = await ledgerOf(1000);
  book(killed, { costNanoUsd: 100 });
  killed.reserve({ ...sampleBegun(300), role: "judge", subject: "a trial" });
  killed.reserve(sampleBegun(null));
  killed.reserve(sampleBegun(0));
  expect([killed.total().all.attempts, killed.spentNanoUsd()]).toEqual([1, 100]);

  const next = await ledgerOf(1000);
  expect(next.spentNanoUsd()).toBe(100 + 300);
  expect(next.total().all).toMatchObject({
    attempts: 4,
    reportedNanoUsd: 100,
    estimatedNanoUsd: 0,
    unknown: { attempts: 2, upToNanoUsd: 300, unpriced: 1 },
  });
  expect(next.total().roles.get("judge")).toMatchObject({ attempts: 1, unknown: { upToNanoUsd: 300 } });
  expect(next.unsettled()).toEqual([]);
  expect(next.reserve(sampleBegun(601))).toBeNull();
  book(next, { costNanoUsd: 5 });
  expect((await readLedger(file)).at(-1)).toMatchObject({ kind: "attempt", id: 5 });
});

test("what earlier processes spent counts, what is unknown at its most", async () => {
  const first = await ledgerOf(1000);
  book(first, { costNanoUsd: 900 });
  book(first, lost);
  first.close();
  const second = await ledgerOf(1000);
  expect(second.spentNanoUsd()).toBe(970);
  expect(second.reserve(sampleBegun(31))).toBeNull();
  const held = second.reserve(sampleBegun(30))!;
  expect(second.reserve(sampleBegun(1))).toBeNull();
  held.book(sampleAttempt({ costNanoUsd: 0, source: "not_charged" }));
  expect(second.reserve(sampleBegun(30))).not.toBeNull();
});

test("an attempt is booked once", async () => {
  const ledger = await ledgerOf(100);
  const reservation = ledger.reserve(sampleBegun(60))!;
  reservation.book(sampleAttempt({ costNanoUsd: 10 }));
  expect(() => {
    reservation.book(sampleAttempt());
  }).toThrow(/attempt 1 .* was booked before/);
  expect(ledger.total().all.attempts).toBe(1);
  expect(ledger.reserve(sampleBegun(90))).not.toBeNull();
});

test("an unknown cost is settled once, also by a later process, and gives its rest back", async () => {
  const first = await ledgerOf(1000);
  book(first, lost);
  book(first, { ...lost, generation: null });
  book(first, { ...lost, generation: "gen-2" });
  expect(first.unsettled().map(({ id }) => id)).toEqual([1, 3]);
  first.settle({ id: 1, costNanoUsd: 20, source: "generation" });
  first.close();
  const second = await ledgerOf(1000);
  expect(second.unsettled().map(({ id }) => id)).toEqual([3]);
  second.settle({ id: 3, costNanoUsd: 5, source: "estimated" });
  expect(second.spentNanoUsd()).toBe(20 + 5 + 70);
  expect(second.total().all).toMatchObject({
    attempts: 3,
    generationNanoUsd: 20,
    estimatedNanoUsd: 5,
    unknown: { attempts: 1, upToNanoUsd: 70, unpriced: 0 },
  });
  expect(() => {
    second.settle({ id: 3, costNanoUsd: 5, source: "estimated" });
  }).toThrow(/attempt 3 .* not unsettled/);
  second.close();
  const third = await ledgerOf();
  expect([third.unsettled(), third.spentNanoUsd()]).toEqual([[], 95]);
});

test("totals by role", async () => {
  const ledger = await ledgerOf();
  book(ledger, { costNanoUsd: 3 });
  book(ledger, { costNanoUsd: 4, source: "estimated" });
  book(ledger, { role: "judge", costNanoUsd: 0, source: "not_charged" });
  const { all, roles } = ledger.total();
  expect([...roles.keys()]).toEqual(["agent", "judge"]);
  expect(roles.get("judge")).toMatchObject({ attempts: 1, notCharged: 1 });
  expect(knownNanoUsd(roles.get("agent")!)).toBe(7);
  expect(knownNanoUsd(all)).toBe(7);
});

test("a line torn by a kill is cut off, and nothing is glued to it", async () => {
  const first = await ledgerOf();
  book(first, { subject: "whole" });
  first.close();
  await appendFile(file, '{"kind":"attempt","id":2,"ro');
  expect(await readLedger(file)).toHaveLength(2);
  const second = await ledgerOf();
  book(second, { subject: "after" });
  second.close();
  const ids = (await readFile(file, "utf8")).trim().split("\n");
  expect(ids.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 1, 2, 2]);
});

test("a ledger that was edited is refused with the place", async () => {
  const ledger = await ledgerOf();
  book(ledger);
  ledger.close();
  const text = await readFile(file, "utf8");
  await writeFile(file, `${text}${text.replace('"costNanoUsd":1000000', '"costNanoUsd":-1')}`);
  await expect(ledgerOf()).rejects.toThrow(UserError);
  await expect(ledgerOf()).rejects.toThrow(/ledger\.jsonl:4: .*costNanoUsd/s);
  await writeFile(file, "spent: much\n");
  await expect(ledgerOf()).rejects.toThrow(/ledger\.jsonl:1: not JSON/);
});

test("no ledger is an empty one", async () => {
  expect(await readLedger(file)).toEqual([]);
});

test("a disk that is full ends all spending, and says so", async () => {
  const ledger = await ledgerOf();
  const underWay = ledger.reserve(sampleBegun(1))!;
  await rm(file);
  await symlink("/dev/full", file);
  expect(() => {
    underWay.book(sampleAttempt());
  }).toThrow(/ledger\.jsonl: cannot be written \(ENOSPC/);
  await rm(file);
  expect(() => ledger.reserve(sampleBegun(1))).toThrow(InfrastructureError);
  expect(() => {
    ledger.close();
  }).toThrow(/ENOSPC/);
});

test("after it was closed nothing can be booked", async () => {
  const ledger = await ledgerOf();
  const late = ledger.reserve(sampleBegun(1))!;
  ledger.close();
  ledger.close();
  expect(() => {
    late.book(sampleAttempt());
  }).toThrow(/is closed/);
});

test("what is added up as it comes is what the lines add up to: killed, settled, refused and without a price", async () => {
  const first = await ledgerOf();
  first.reserve(sampleBegun(900)); // its process is killed
  book(first, { ...lost, generation: "gen-2" });
  book(first, { ...lost, generation: null, upToNanoUsd: null });
  book(first, { costNanoUsd: 0, source: "not_charged" });
  book(first, { role: "judge", costNanoUsd: 5, source: "estimated" });
  const second = await ledgerOf();
  expect(second.total()).toEqual(sumLedger(await readLedger(file)));
  expect(second.unsettled().map(({ id }) => id)).toEqual([2]);
  second.settle({ id: 2, costNanoUsd: 11, source: "generation" });
  book(second, { role: "author" });
  // Of two findings the later one holds, also when another hand wrote it.
  const line = {
    kind: "settled",
    id: 5,
    at: "2026-01-01T00:00:00.000Z",
    costNanoUsd: 6,
    source: "estimated",
  };
  expect(second.total()).toEqual(sumLedger(await readLedger(file)));
  await appendFile(file, `${JSON.stringify(line)}\n${JSON.stringify({ ...line, costNanoUsd: 7 })}\n`);

  const lines = await readLedger(file);
  const attempts = [];
  for await (const some of readAttempts(file)) attempts.push(...some);
  const byId = attempts.toSorted((a, b) => a.id - b.id);
  expect(byId).toEqual(settledAttempts(lines).toSorted((a, b) => a.id - b.id));
  expect(byId.find(({ id }) => id === 5)).toMatchObject({ costNanoUsd: 7 });
  const third = await ledgerOf();
  expect(third.total()).toEqual(sumLedger(lines));
  third.close();
});
