import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PipelineEvent } from "../../events.ts";
import { capturedIo } from "../../testing/captured-io.ts";
import { startFake } from "../../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../../testing/sample-campaign.ts";
import { main } from "../main.ts";
import type { Reading, Screen } from "./port.ts";
import { buildStages, campaignStages } from "./reading.ts";

type Kept = Screen & {
  readonly events: PipelineEvent[];
  readonly rests: string[];
  /** What a drawing would have asked for with each event. */
  readonly readings: Reading[];
};

function keptScreen(): Kept {
  const [events, rests, readings]: [PipelineEvent[], string[], Reading[]] = [[], [], []];
  let read: (() => Reading) | null = null;
  return {
    ...{ events, rests, readings },
    show: (event) => {
      events.push(event);
      if (read !== null) readings.push(read());
    },
    watch: (asked) => {
      read = asked;
    },
    rest: (how) => rests.push(how),
  };
}

test("a campaign tells its screen what began, each verdict, the pairs, the money and the way to its model", async () => {
  const server = await startFake({ scenario: { models: { "acme/coder": obedientModel() } } });
  const folder = await sampleCampaign({
    models: { baseUrl: server.baseURL },
    evaluation: { models: ["acme/coder"], trials: 1, budgetUsd: 5 },
  });
  try {
    const screen = keptScreen();
    const io = { ...capturedIo(folder), screen };
    expect(await main(["eval", "--yes"], io), io.stderr()).toBe(0);
    // Progress goes to the screen alone; the estimate is no progress.
    expect(io.stderr()).not.toMatch(/^(trials|trial|canary|endpoint) /m);
    expect(screen.events[0]).toEqual({ kind: "began", title: "sample", part: null, stages: campaignStages });
    const verdicts = screen.events.flatMap((event) =>
      event.kind === "verdict" ? [`${event.trial.arm} ${event.verdict}`] : [],
    );
    expect(verdicts.sort()).toEqual(["with_skill passed", "without_skill failed"]);
    expect(screen.events.findLast(({ kind }) => kind === "evidence")).toMatchObject({ better: 1, pairs: 1 });
    const { spent, lanes } = screen.readings.at(-1)!;
    expect(spent.limitNanoUsd).toBe(5_000_000_000);
    expect(spent.spending.attempts).toBeGreaterThan(0);
    expect(lanes.map(({ lane, health }) => [lane.startsWith("acme/coder"), health])).toEqual([
      [true, "well"],
    ]);
    expect(screen.readings.map(({ containersAwaited }) => containersAwaited).at(-1)).toBe(0);

    // The next start tells what the earlier one found, before it counts the trials.
    const again = keptScreen();
    expect(await main(["eval", "--yes"], { ...capturedIo(folder), screen: again })).toBe(0);
    const kinds = again.events.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "verdict")).toHaveLength(2);
    expect(kinds.lastIndexOf("verdict")).toBeLessThan(kinds.indexOf("trials"));
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
});

test("a build tells which skill it is at; a command that fails lets its screen rest", async () => {
  const folder = await sampleCampaign();
  try {
    const screen = keptScreen();
    const io = { ...capturedIo(folder), screen };
    expect(await main(["build", "skills/sample", "--until", "chunk"], io), io.stderr()).toBe(0);
    expect(screen.events.slice(0, 2)).toMatchObject([
      { kind: "began", title: "sample", part: "sample", stages: buildStages },
      { kind: "stage", stage: "chunk" },
    ]);
    expect((await stat(join(folder, "benchmarks/sample/chunks.json"))).isFile()).toBe(true);
    expect(await main(["build", "skills/none"], io)).toBe(2);
    expect(screen.rests).toEqual(["stopped"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
