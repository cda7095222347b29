import type { Bundle } from "../../artefacts/bundle.ts";
import type { Damage, Regression } from "../../artefacts/honesty.ts";
import type { Trial } from "../../artefacts/trial.ts";
import { changesOutside, type SnapshotMember } from "./compare-snapshot.ts";

export type DamageTools = {
  /** Reads an archive member by member, on the host, without unpacking it. */
  readonly members: (tar: AsyncIterable<Uint8Array>) => AsyncIterable<SnapshotMember>;
  /** Whether a path fits a glob of `outputs`. */
  readonly matches: (path: string, glob: string) => boolean;
  /** How a command for existing tests ends on a workspace (`runRegression`). */
  readonly runExistingTests: (
    command: string,
    workspace: () => AsyncIterable<Uint8Array>,
  ) => Promise<Regression>;
};

/** Measures one finished trial's workspace; kept beside its verdict, which it never changes. */
export type MeasureDamage = (
  bundle: Pick<Bundle, "id" | "fixtures" | "spec">,
  workspace: () => AsyncIterable<Uint8Array>,
  outcome: Trial["outcome"],
) => Promise<Damage>;

/**
 * What an agent did besides its task: files changed outside of the outputs, existing tests broken. `workspace` gives a
 * tar of /workspace each time it is called. Throws `SandboxError` for an archive that is damaged.
 */
export async function measureDamage(
  { fixtures, spec }: Pick<Bundle, "fixtures" | "spec">,
  workspace: () => AsyncIterable<Uint8Array>,
  outcome: Trial["outcome"],
  { members, matches, runExistingTests }: DamageTools,
): Promise<Damage> {
  const partial = outcome.kind === "ended" && outcome.snapshot.leftOut !== undefined;
  const { outputs, regression } = spec;
  return {
    outside: await changesOutside(fixtures, members(workspace()), { outputs, matches, partial }),
    regression: regression === undefined ? null : await runExistingTests(regression, workspace),
  };
}
