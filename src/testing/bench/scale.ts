import { mkdir, rm } from "node:fs/promises";
import { loadavg } from "node:os";
import { extname, join } from "node:path";
import { execa } from "execa";
import { campaignId } from "../../campaign-plan.ts";
import { scaleInputs } from "./scale-campaign.ts";

export type StepFigures = {
  readonly seconds: number;
  /** Of all its threads; on a busy machine closer to the truth than `seconds`. */
  readonly cpuSeconds: number;
  readonly rssMb: number;
  /** Trials or attempts that the step saw, so that a step that saw nothing is not taken for a fast one. */
  readonly counted: number;
};

/** Cells of benchmark × model: a large catalogue run often, and one of thousands of tasks run a few times each. */
const shapes = {
  deep: { benchmarksPerSkill: 10 },
  wide: { benchmarksPerSkill: 833 },
} as const;
type Shape = keyof typeof shapes;

/** What every step but `lay`, which makes the campaign, is to stay below. */
export const scaleTargets = { cpuSeconds: 10, rssMb: 300 };
const steps = ["plan", "lay", "resume", "ledger", "report", "verify", "view"] as const;
/**
 * A heap that may grow is collected late, and takes more than a step needs. Those that a campaign cannot do without are
 * measured with one that may not grow beyond these megabytes; a step that needs more ends with an error.
 */
const heapMb = { usual: 180, verify: 230 };
const unbounded: readonly string[] = ["view"];

export type ScaleFigures = Readonly<Record<Shape, Readonly<Record<string, StepFigures>>>>;

/** Lays synthetic campaigns of so many trials below `folder` and takes each step over them in a process of its own. */
export async function measureScale(folder: string, trials: number): Promise<ScaleFigures> {
  return { deep: await measured("deep", folder, trials), wide: await measured("wide", folder, trials) };
}

async function measured(
  shape: Shape,
  folder: string,
  trials: number,
): Promise<Readonly<Record<string, StepFigures>>> {
  const { benchmarksPerSkill } = shapes[shape];
  const place = join(folder, shape, campaignId(scaleInputs(trials, benchmarksPerSkill)));
  await mkdir(place, { recursive: true });
  const program = join(import.meta.dirname, `scale-step${extname(import.meta.filename)}`);
  const figures: Record<string, StepFigures> = {};
  for (const step of steps) {
    const args = [program, step, place, String(trials), String(benchmarksPerSkill)];
    const bound = unbounded.includes(step)
      ? []
      : [`--max-old-space-size=${step === "verify" ? heapMb.verify : heapMb.usual}`];
    const { stdout } = await execa(process.execPath, [...bound, ...args]);
    const one = JSON.parse(stdout) as StepFigures;
    figures[step] = one;
    const words = `${one.cpuSeconds.toFixed(1)} CPU s, ${one.rssMb.toFixed(0)} MB`;
    process.stderr.write(`bench    ${shape}: ${step}, ${words}\n`);
  }
  await rm(join(folder, shape), { recursive: true });
  return figures;
}

/** A line per shape and step, with what is above its target marked, and the load of the machine at the end. */
export function scaleTable(figures: ScaleFigures): readonly string[] {
  const { cpuSeconds, rssMb } = scaleTargets;
  const rows = Object.entries(figures).flatMap(([shape, of]) =>
    Object.entries(of).map(([step, one]) => {
      const isOver = step !== "lay" && (one.cpuSeconds > cpuSeconds || one.rssMb > rssMb);
      return [
        ...[shape, step, one.cpuSeconds.toFixed(1), one.seconds.toFixed(1), one.rssMb.toFixed(0)],
        ...[String(one.counted), isOver ? "above" : ""],
      ];
    }),
  );
  const header = ["shape", "step", "CPU s", "s", "RSS MB", "counted", ""];
  const load = loadavg().map((one) => one.toFixed(1));
  return [
    ...[header, ...rows].map((row) =>
      row
        .map((text) => text.padEnd(9))
        .join(" ")
        .trimEnd(),
    ),
    `targets: ${cpuSeconds} CPU s and ${rssMb} MB for each step but lay; load ${load.join(" ")}`,
  ];
}
