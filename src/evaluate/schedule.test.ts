import { expect, test } from "vitest";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { InfrastructureError } from "../errors.ts";
import type { PipelineEvent } from "../events.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { planTrials } from "./plan-trials.ts";
import { type AttemptEnd, workThrough } from "./schedule.ts";

const plan = planTrials(sampleInputs(), "recipe");

type Ledger = { attempts: PlannedTrial[]; events: PipelineEvent[]; error: unknown; mostAtOnce: number };

async function follow(
  answer: (trial: PlannedTrial, nth: number) => AttemptEnd,
  concurrency = 2,
): Promise<Ledger> {
  const ledger: Ledger = { attempts: [], events: [], error: null, mostAtOnce: 0 };
  let running = 0;
  const attempt = async (trial: PlannedTrial): Promise<AttemptEnd> => {
    ledger.attempts.push(trial);
    running++;
    ledger.mostAtOnce = Math.max(ledger.mostAtOnce, running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return answer(trial, ledger.attempts.filter(({ key }) => key === trial.key).length);
  };
  const listen = (event: PipelineEvent): number => ledger.events.push(event);
  try {
    await workThrough(plan, { concurrency, attempt, listen });
  } catch (error) {
    ledger.error = error;
  }
  return ledger;
}

test("every trial is worked on once, at most `concurrency` at a time", async () => {
  const { attempts, mostAtOnce } = await follow(() => ({ kind: "done", words: "" }), 3);
  expect(attempts.map(({ key }) => key).sort()).toEqual(plan.map(({ key }) => key).sort());
  expect(mostAtOnce).toBe(3);
});

test("a void attempt is repeated at most twice and the others go on", async () => {
  const unlucky = plan[0]!.key;
  const { attempts, events } = await follow(({ key }) =>
    key === unlucky ? { kind: "void", reason: "engine" } : { kind: "done", words: "" },
  );
  expect(attempts.filter(({ key }) => key === unlucky)).toHaveLength(3);
  expect(attempts).toHaveLength(plan.length + 2);
  expect(events.filter((event) => event.kind === "trial_void").map((event) => event.again)).toEqual([
    true,
    true,
    false,
  ]);
});

test("a void attempt that then succeeds is done", async () => {
  const { events } = await follow((_trial, nth) =>
    nth === 1 ? { kind: "void", reason: "x" } : { kind: "done", words: "" },
  );
  expect(events.filter((event) => event.kind === "trial_done")).toHaveLength(plan.length);
});

test("a stopped model stops alone, said once", async () => {
  const { attempts, events, error } = await follow(
    ({ model }) => (model === "a/x" ? { kind: "stop_model", reason: "gone" } : { kind: "done", words: "" }),
    1,
  );
  expect(attempts.filter(({ model }) => model === "a/x")).toHaveLength(1);
  expect(attempts.filter(({ model }) => model === "b/y")).toHaveLength(plan.length / 2);
  expect(events.filter((event) => event.kind === "model_stopped")).toHaveLength(1);
  expect(error).toBeNull();
});

test("a stop for all ends the campaign as infrastructure, keeping what is done", async () => {
  const { attempts, error } = await follow(() => ({ kind: "stop_all", reason: "no credits" }), 1);
  expect(attempts).toHaveLength(1);
  expect(error).toBeInstanceOf(InfrastructureError);
  expect((error as Error).message).toBe("no credits");
});

test.each<["drain" | "signal"]>([["drain"], ["signal"]])(
  "after %s nothing is begun, not even what was lost, and what is under way is waited for",
  async (kind) => {
    const controller = new AbortController();
    const begun: string[] = [];
    let ended = 0;
    await workThrough(plan, {
      concurrency: 2,
      attempt: async ({ key }) => {
        begun.push(key);
        if (begun.length === 2) controller.abort();
        await new Promise((resolve) => setImmediate(resolve));
        ended++;
        return { kind: "void", reason: "engine" };
      },
      listen: () => undefined,
      [kind]: controller.signal,
    });
    expect([begun.length, ended]).toEqual([2, 2]);
  },
);
