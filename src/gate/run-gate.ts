import type { Bundle } from "../artefacts/bundle.ts";
import {
  type CheckRecord,
  gateFormat,
  type GateRecord,
  type GateSettings,
  type Provenance,
} from "../artefacts/gate.ts";
import type { Grading } from "../artefacts/grading.ts";
import type { Answer } from "../artefacts/verdict.ts";
import type { ImageRecord } from "../sandbox/port.ts";
import type { Check, CheckTools, Finding } from "./check.ts";
import { cheatsFail } from "./checks/cheats-fail.ts";
import { claims } from "./checks/claims.ts";
import { emptyFails } from "./checks/empty-fails.ts";
import { leaks } from "./checks/leaks.ts";
import { mutantsFail } from "./checks/mutants-fail.ts";
import { referencePasses } from "./checks/reference-passes.ts";
import { repeatsAgree } from "./checks/repeats-agree.ts";
import { sentinels } from "./checks/sentinels.ts";
import { structure } from "./checks/structure.ts";
import { untouchedFails } from "./checks/untouched-fails.ts";
import { variantsPass } from "./checks/variants-pass.ts";
import { referenceWorkspace } from "./workspaces.ts";

/** What a bundle has to prove, in this order. */
export const checks: readonly Check[] = [
  structure,
  leaks,
  referencePasses,
  claims,
  untouchedFails,
  emptyFails,
  sentinels,
  repeatsAgree,
  variantsPass,
  cheatsFail,
  mutantsFail,
];

export const defaultGateSettings: GateSettings = {
  seed: 7,
  gradings: 5,
  mutants: 40,
  killRate: 0.8,
  leaks: "warn",
};

export type GateTools = Pick<
  CheckTools,
  "grade" | "actAsAgent" | "runExistingTests" | "settings" | "context" | "cheats"
> & {
  readonly image: ImageRecord;
};

export type GateOptions = {
  /** Instead of all. */
  readonly checks?: readonly Check[];
  /** Goes on after a check that failed, with those that do not build on it. */
  readonly all?: boolean;
  /** Called as each check ends; `ms` is null for one that was not tried. */
  readonly onCheck?: (record: CheckRecord, ms: number | null) => void;
};

/**
 * Puts a bundle through the checks and stops at the first that fails, since an author mends one thing at a time;
 * that check names those that were not tried. Throws only for infrastructure: a `SandboxError`, or judges that gave
 * no decision.
 */
export async function runGate(
  bundle: Bundle,
  provenance: Provenance | null,
  tools: GateTools,
  options: GateOptions = {},
): Promise<GateRecord> {
  const seen: Grading[] = [];
  const checkTools = checkToolsFor(bundle, tools, seen);
  const ended = await proveAll(bundle, checkTools, options);
  const { id, recipe, base } = tools.image;
  const facts = Object.assign({}, ...ended.map(({ facts }) => facts)) as Finding["facts"];
  return {
    format: gateFormat,
    benchmark: bundle.id,
    bundleHash: bundle.hash,
    provenance,
    image: { id, recipe, base },
    settings: tools.settings,
    passed: ended.every(({ record }) => record.passed),
    checks: ended.map(({ record }) => record),
    killRate: facts?.killRate ?? null,
    leaks: facts?.leaks ?? [],
    answers: answersOf(seen),
    standInJudges: seen.some((grading) => grading.standInJudges),
  };
}

type Ended = { readonly record: CheckRecord; readonly facts: Finding["facts"] };

async function proveAll(bundle: Bundle, tools: CheckTools, options: GateOptions): Promise<readonly Ended[]> {
  const chosen = options.checks ?? checks;
  const ended: Ended[] = [];
  const end = (record: CheckRecord, facts: Finding["facts"], ms: number | null): void => {
    ended.push({ record, facts });
    options.onCheck?.(record, ms);
  };
  for (const [at, check] of chosen.entries()) {
    const missing = (check.needs ?? []).filter((name) =>
      ended.some(({ record }) => record.check === name && !record.passed),
    );
    if (missing.length > 0) {
      end(notTried(check.name, missing), undefined, null);
      continue;
    }
    const began = performance.now();
    const finding = await check.prove(bundle, tools);
    const ms = performance.now() - began;
    const last = !finding.passed && options.all !== true;
    const left = last ? chosen.slice(at + 1).map(({ name }) => name) : [];
    end(recordOf(check.name, finding, left), finding.facts, ms);
    if (last) break;
  }
  return ended;
}

function recordOf(check: string, finding: Finding, notTriedYet: readonly string[]): CheckRecord {
  const { passed, words, warnings = [], evidence } = finding;
  const record = { check, passed, words, warnings: [...warnings], evidence };
  if (passed) return record;
  const more = notTriedYet.length === 0 ? "" : `\nNot tried yet: ${notTriedYet.join(", ")}.`;
  return { ...record, words: `${words}${more}`, evidence: { found: evidence, notTried: [...notTriedYet] } };
}

function notTried(check: string, missing: readonly string[]): CheckRecord {
  const words = `Not tried: it says nothing before ${missing.join(", ")} passes.`;
  return { check, passed: false, words, warnings: [], evidence: { found: null, notTried: [check] } };
}

function checkToolsFor(bundle: Bundle, tools: GateTools, seen: Grading[]): CheckTools {
  const { actAsAgent, runExistingTests, settings, context, cheats } = tools;
  const grade: CheckTools["grade"] = async (workspace, options) => {
    const grading = await tools.grade(workspace, options);
    seen.push(grading);
    return grading;
  };
  let first: Promise<Grading> | undefined;
  const gradeReferenceOnce = (): Promise<Grading> => (first ??= grade(referenceWorkspace(bundle)));
  return {
    ...{ grade, gradeReferenceOnce, actAsAgent, seen, settings, context, cheats },
    ...(runExistingTests === undefined ? {} : { runExistingTests }),
  };
}

/** Decided answers, one per key, in the order of the keys: gradings that go on at once end in any order. */
function answersOf(gradings: readonly Grading[]): Answer[] {
  const answers = gradings.flatMap((grading) => grading.answers).filter(({ answer }) => answer !== null);
  const byKey = new Map(answers.map((answer) => [answer.key, answer]));
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, answer]) => answer);
}
