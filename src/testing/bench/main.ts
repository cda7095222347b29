import { rm } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { dockerSandbox, type DockerSandbox } from "../../sandbox/docker-sandbox.ts";
import { defaultSettings } from "../../sandbox/settings.ts";
import { benchFolder, emptyTrial, naiveTrial, twoRuns } from "./empty-trial.ts";
import { measureGate } from "./gate.ts";
import { measureScale, type ScaleFigures, scaleTable } from "./scale.ts";
import { measureSnapshots } from "./snapshots.ts";
import { interleaved, median } from "./statistics.ts";
import { trialsPerMinute } from "./throughput.ts";
import { measureToolCall } from "./tool-call.ts";

const concurrencies = [1, 2, 4, 8, 16, 32];
const toolCallRounds = 30;
const trialRounds = 12;

/** A campaign of a size that nobody has run yet. */
const scaleTrials = 100_000;

/** Alone: `npm run bench -- --scale`; it needs no engine. */
async function benchScale(): Promise<{ readonly scale: ScaleFigures }> {
  const folder = await benchFolder();
  try {
    say(`a campaign of ${scaleTrials} trials`);
    return { scale: await measureScale(folder, scaleTrials) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `npm run bench [-- --json]`: every figure is a ratio or a time of this one run on this machine. */
async function bench(): Promise<Record<string, unknown> & { readonly scale: ScaleFigures }> {
  const sandbox = await dockerSandbox({ ...defaultSettings });
  const folder = await benchFolder();
  const watch = watchHarness();
  try {
    say("tool call");
    const toolCall = await measureToolCall(sandbox, toolCallRounds);
    say("empty trial, beside two docker runs and the naive way");
    const trial = await measureTrial(sandbox, folder);
    const perMinute: Record<string, number> = {};
    for (const concurrency of concurrencies) {
      say(`trials at concurrency ${concurrency}`);
      perMinute[concurrency] = await trialsPerMinute(sandbox, folder, concurrency);
    }
    say("snapshots");
    const snapshot = await measureSnapshots(sandbox, folder);
    const harness = watch.stop();
    say("the gate on one benchmark");
    const gateSeconds = await measureGate();
    return {
      toolCall,
      emptyTrial: trial,
      trialsPerMinute: perMinute,
      snapshot,
      ...harness,
      gateSeconds,
      ...(await benchScale()),
    };
  } finally {
    watch.stop();
    await sandbox.close();
    await rm(folder, { recursive: true });
  }
}

async function measureTrial(sandbox: DockerSandbox, folder: string): Promise<Record<string, number>> {
  const image = sandbox.image.id;
  const times = await interleaved(
    {
      ours: async () => {
        await emptyTrial(sandbox, folder, "single");
        await sandbox.settled();
      },
      twoRuns: () => twoRuns(image),
      naive: () => naiveTrial(image, folder),
    },
    trialRounds,
  );
  const ours = median(times.ours);
  return { p50Ms: ours, vsTwoRuns: ours / median(times.twoRuns), vsNaive: median(times.naive) / ours };
}

/** Peak memory of this process and the 99th percentile of its event loop's lag, until stopped. */
function watchHarness(): { stop: () => { rssMb: number; loopLagP99Ms: number } } {
  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  return {
    stop: () => {
      clearInterval(timer);
      lag.disable();
      return { rssMb: peak / 2 ** 20, loopLagP99Ms: lag.percentile(99) / 1e6 };
    },
  };
}

function say(words: string): void {
  process.stderr.write(`bench    ${words}\n`);
}

function tableOf(figures: Record<string, unknown>, prefix = ""): string[] {
  return Object.entries(figures).flatMap(([name, value]) =>
    typeof value === "number"
      ? [`${`${prefix}${name}`.padEnd(28)} ${value.toFixed(2).padStart(10)}`]
      : tableOf(value as Record<string, unknown>, `${prefix}${name}.`),
  );
}

const figures = await (process.argv.includes("--scale") ? benchScale() : bench());
const { scale, ...others } = figures;
const lines = [...tableOf(others), ...scaleTable(scale)];
const json = process.argv.includes("--json");
process.stdout.write(json ? `${JSON.stringify(figures)}\n` : `${lines.join("\n")}\n`);
