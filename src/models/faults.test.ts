import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentEnd } from "../agents/port.ts";
import { InfrastructureError, UserError } from "../errors.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { type PlayedRow, playEmbedding, playRow, untold } from "../testing/faults/play-row.ts";
import {
  type Course,
  type FaultRow,
  type Outcome,
  readFaultTable,
  readOutcome,
} from "../testing/faults/read-table.ts";

/** Another table in the same format can be played instead. */
const table = process.env["FAULTS_FILE"] ?? join(import.meta.dirname, "../testing/faults/provider-faults.md");
const rows = readFaultTable(readFileSync(table, "utf8"));
const chatRows = rows.filter(({ play }) => play.kind === "do");
const embeddingRows = rows.filter(({ play }) => play.kind === "settings");

let server: RunningFake;
beforeAll(async () => {
  server = await startFake();
});
afterAll(() => server.close());

/** Back-off and jitter stay within this, a hint apart (openrouter.md §7.1). */
const shortestWaitMs = 250;
const longestWaitMs = 60_000;
const mostRetries = 20;

/** How an agent's work ends by each outcome, and what stays the model's own doing. */
const ends: Readonly<Record<Outcome, AgentEnd["kind"]>> = {
  ok: "ended",
  model: "ended",
  split: "ended",
  "treat as {}": "ended",
  void: "void",
  blocked: "blocked",
  config: "stop_model",
  stop: "stop_model",
  "stop all": "stop_all",
};

/** What plain RETRY ends in where the schedule, and not the column, says it (openrouter.md §7.1). */
function endOfSchedule({ play }: FaultRow): Outcome {
  if (play.kind === "settings") return "stop";
  const fault = play.value["fault"];
  if (fault === "in_flight_budget") return "stop all";
  return fault === "llamacpp_loading" ? "config" : "void";
}

function hintMs({ play }: FaultRow): number {
  const { retry_after: seconds, reset_in_ms: reset } = play.value as Record<string, number | undefined>;
  return seconds === undefined ? (reset ?? 0) : seconds * 1000;
}

/** The alternative of a row for a turn; its other alternatives where it names none. */
function courseAt({ outcome }: FaultRow, turn: 1 | 2): readonly Course[] {
  const wanted = turn === 1 ? "first" : "later";
  return outcome.alternatives.filter((course) => course.turn === null || course.turn === wanted);
}

function expectSpacing(row: FaultRow, { waits }: Pick<PlayedRow, "waits">): void {
  for (const [at, wait] of waits.entries()) {
    // A reset is a moment of the server's clock; the client's has been moved on by its own waits after the first.
    const hint = at === 0 || !("reset_in_ms" in row.play.value) ? hintMs(row) : 0;
    expect(wait).toBeGreaterThanOrEqual(Math.max(shortestWaitMs, hint * 0.9));
    expect(wait).toBeLessThanOrEqual(Math.max(longestWaitMs, hint * 1.1));
  }
}

function expectRemarks(course: Course, played: PlayedRow, turn: 1 | 2): void {
  const { record } = played;
  for (const remark of course.remarks) {
    if (remark === "refused") expect(record.end).toEqual({ kind: "ended", stop: "refused" });
    if (remark === "log repair") expect(record.usage.repairedCalls).toBeGreaterThan(0);
    if (remark === "estimate") expect(untold(played.booked)).toBe(true);
  }
  if (course.then === "treat as {}") {
    expect(record.usage.repairedCalls).toBeGreaterThan(0);
    expect(record.usage.toolCalls.invalid).toBeGreaterThan(0);
    // What came before the fault was carried out; the call without arguments was not.
    expect(played.container.commands).toHaveLength(turn - 1);
  }
}

/** An overflow may be cured by one request with a lower limit; nothing else is asked twice. */
function requestsWithoutRetry({ record, booked }: PlayedRow): number {
  const lowered = booked.some(({ attempt }) => attempt > 1) ? 1 : 0;
  const lost = record.end.kind === "ended" && record.end.stop !== "context_exhausted" ? 0 : 1;
  return record.usage.modelCalls + lowered + lost;
}

describe.each(chatRows)("$id $name", (row) => {
  const turns = ([1, 2] as const).filter((turn) => courseAt(row, turn).length > 0);
  test.each(turns)("once, at turn %i", async (turn) => {
    const [course] = courseAt(row, turn);
    const played = await playRow(row, "once", turn, server);
    if (course === undefined) throw new Error("no course");
    expect(played.warnings).toEqual([]);
    expect(played.booked).toHaveLength(played.requests);
    if (course.retry) {
      expect(played.record.end).toEqual({ kind: "ended", stop: "finished" });
      expect(played.requests).toBe(turn + 1);
      expect(played.waits).toHaveLength(1);
      expectSpacing(row, played);
      return;
    }
    expect(played.waits).toEqual([]);
    const cured = played.booked.some(({ attempt }) => attempt > 1);
    if (!cured) {
      expect(played.record.end.kind).toBe(ends[course.then ?? "ok"]);
      expectRemarks(course, played, turn);
    }
    expect(played.requests).toBe(cured ? turn + 1 : requestsWithoutRetry(played));
  });

  test.each(turns)("for ever, from turn %i on", async (turn) => {
    const [course] = courseAt(row, turn);
    const played = await playRow(row, "for ever", turn, server);
    if (course === undefined) throw new Error("no course");
    const end = course.then ?? endOfSchedule(row);
    expect(played.record.end.kind).toBe(ends[end]);
    expect(played.booked).toHaveLength(played.requests);
    if (!course.retry) {
      expectRemarks(course, played, turn);
      expect(played.waits).toEqual([]);
      expect(played.requests).toBe(requestsWithoutRetry(played));
      return;
    }
    expectSpacing(row, played);
    const rounds = end === "model" ? played.record.usage.modelCalls - (turn - 1) : 1;
    const retries = played.waits.length / rounds;
    expect(played.requests).toBe(turn - 1 + rounds + played.waits.length);
    if (course.retries !== null) expect(retries).toBe(course.retries);
    else {
      expect(retries).toBeGreaterThan(1);
      expect(retries).toBeLessThanOrEqual(mostRetries);
    }
  });
});

describe.each(embeddingRows)("$id $name", (row) => {
  test("for ever", async () => {
    const [course] = row.outcome.alternatives;
    const calm = await playEmbedding({ embedding: {} }, server);
    const played = await playEmbedding(row.play.value, server);
    if (course === undefined) throw new Error("no course");
    if (!course.retry) {
      expect(played.vectors).toEqual(calm.vectors);
      expect(played.waits).toEqual([]);
      expect(played.requests > calm.requests).toBe(course.then === "split");
      return;
    }
    expect(played.error instanceof UserError || played.error instanceof InfrastructureError).toBe(true);
    if (course.retries !== null) expect(played.requests).toBe(1 + course.retries);
    expectSpacing(row, played);
  });
});

describe("the outcome column", () => {
  test.each(["FORGET IT", "RETRY then LUCK", "RETRY ×2 then", "OK then STOP", "RETRY then STOP then OK", ""])(
    "%j is not understood",
    (column) => {
      expect(() => readOutcome(column)).toThrow();
    },
  );
  test("words, numbers, turns and remarks are read", () => {
    expect(readOutcome("**MODEL (turn > 1) / CONFIG (turn 1)**").alternatives).toMatchObject([
      { retry: false, then: "model", turn: "later" },
      { retry: false, then: "config", turn: "first" },
    ]);
    expect(readOutcome("RETRY (max 3) then VOID").alternatives).toMatchObject([
      { retry: true, retries: 3, then: "void" },
    ]);
    expect(readOutcome("RETRY ×2 then STOP ALL").alternatives).toMatchObject([
      { retries: 2, then: "stop all" },
    ]);
  });
});
