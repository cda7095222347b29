import { UserError } from "../errors.ts";
import type { Bundle } from "./bundle.ts";
import type { GateRecord } from "./gate.ts";

declare const proven: unique symbol;

/** A bundle that passed the gate. Only `benchmarkFrom` makes one; trials accept nothing else. */
export type Benchmark = {
  readonly [proven]: true;
  readonly skill: string;
  readonly bundle: Bundle;
  readonly gate: GateRecord;
};

/** Throws `UserError` when the gate refused the bundle, or judged other bytes than these. */
export function benchmarkFrom(skill: string, bundle: Bundle, gate: GateRecord): Benchmark {
  const name = `${skill}/${bundle.id}`;
  if (gate.bundleHash !== bundle.hash) {
    throw new UserError(
      `${name}: its files changed since the gate (gate.json is for ${gate.bundleHash.slice(0, 12)}, the folder is ` +
        `${bundle.hash.slice(0, 12)}). Run: skillproof validate <benchmarks>/${name}`,
    );
  }
  if (!gate.passed) {
    const refused = gate.checks.filter((check) => !check.passed).map((check) => check.check);
    throw new UserError(
      `${name}: the gate refused it (${refused.join(", ")}); it cannot be used for trials.`,
    );
  }
  return { skill, bundle, gate } as Benchmark;
}
