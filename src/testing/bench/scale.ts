import { mkdir } from "node:fs/promises";
import { extname, join } from "node:path";
import { execa } from "execa";

export type StepFigures = {
  readonly seconds: number;
  /** Of all its threads; on a busy machine closer to the truth than `seconds`. */
  readonly cpuSeconds: number;
  readonly rssMb: number;
  /** Trials or attempts that the step saw, so that a step that saw nothing is not taken for a fast one. */
  readonly counted: number;
};

const steps = ["plan", "lay", "resume", "ledger", "report"] as const;

/** Lays a synthetic campaign of so many trials below `folder` and takes each step over it in a process of its own. */
export async function measureScale(folder: string, trials: number): Promise<Record<string, StepFigures>> {
  const place = join(folder, "scale");
  await mkdir(place, { recursive: true });
  const step = join(import.meta.dirname, `scale-step${extname(import.meta.filename)}`);
  const figures: Record<string, StepFigures> = {};
  for (const name of steps) {
    const { stdout } = await execa(process.execPath, [step, name, place, String(trials)]);
    figures[name] = JSON.parse(stdout) as StepFigures;
  }
  return figures;
}
