import type { Canary } from "../artefacts/canary.ts";
import type { EvidenceNote } from "../artefacts/evidence.ts";
import type { Claim } from "../artefacts/honesty.ts";
import type { LedgerLine } from "../artefacts/ledger.ts";
import type { CampaignInputs, Plan } from "../artefacts/plan.ts";
import { type PlannedTrial, type Trial, trialName } from "../artefacts/trial.ts";
import type { Verdict } from "../artefacts/verdict.ts";
import { campaignId } from "../campaign-plan.ts";
import { canonicalJson, hashJson, sha256 } from "../hash.ts";
import { entryMaker } from "../report/counted.ts";
import { makeReport } from "../report/make-report.ts";
import { makeTimings } from "../report/make-timings.ts";
import { renderMarkdown } from "../report/markdown.ts";
import { moneyOf } from "../report/money.ts";
import type { CheckName, Verification } from "../artefacts/verification.ts";
import { ChainWalk } from "../verify/chain.ts";
import { unlikeFile } from "../verify/check-report.ts";
import { type CampaignFound, type Read, type TrialFound, valueOf } from "../verify/found.ts";
import { LedgerWalk } from "../verify/ledger-walk.ts";
import type { Look } from "../verify/look.ts";
import type { Check } from "../verify/observer.ts";
import { reportedFiles } from "../verify/reported-files.ts";
import { indexTrials } from "../verify/trial-index.ts";
import { openVerification } from "../verify/verify-found.ts";
import { sampleInputs } from "./benchmark.ts";
import { canaryOf, ledgerOf, samplePlan } from "./found-plan.ts";
import { endedTrial, verdictOf } from "./trials.ts";

/** What becomes of a planned trial; null for a trial that is still to be done. */
export type Done = {
  readonly trial: Trial;
  readonly verdict: Verdict | null;
  readonly claim?: Claim;
} | null;

export type FoundOptions = {
  readonly inputs?: Partial<CampaignInputs>;
  readonly plan?: Partial<Plan>;
  readonly done?: (planned: PlannedTrial) => Done;
  readonly voids?: (planned: PlannedTrial) => number;
  readonly ledger?: readonly LedgerLine[];
  readonly canary?: (canary: Canary) => Canary;
};

/** A campaign whose evidence, ledger and trials are all there at once. */
export type WholeCampaign = Omit<CampaignFound, "chain" | "ledger" | "report" | "rebuilt"> & {
  /** Texts of its report's files by name, null for one that is not there; and the same made anew. */
  readonly report: Readonly<Record<string, string | null>>;
  readonly rebuilt: { readonly files: Readonly<Record<string, string>> };
  readonly lines: readonly string[];
  readonly ledger: Read<readonly LedgerLine[]>;
  readonly trials: readonly TrialFound[];
};

/** A campaign without a disk, as `verifyCampaign` would find one that is honest in all that the options leave alone. */
export function foundCampaign(options: FoundOptions = {}): WholeCampaign {
  const inputs = sampleInputs({ prompts: { system: "s", tools: "u" }, ...options.inputs });
  const plan = samplePlan(inputs, options.plan);
  const { done = passes, voids = () => 0 } = options;
  const trials = plan.trials.map((planned) => foundTrial(planned, done(planned), voids(planned)));
  const canaries = inputs.skills.flatMap((skill) =>
    skill.arms.map((arm) => {
      const canary = canaryOf(skill, arm, plan);
      return { name: `${skill.id}/${arm.id}/1`, canary: there(options.canary?.(canary) ?? canary) };
    }),
  );
  const ledger = options.ledger ?? ledgerOf(plan.trials);
  const bound = sha256(JSON.stringify(ledger));
  const lines = chainOf([
    { kind: "plan", hash: hashJson(plan) },
    ...canaries.map(({ name, canary }): EvidenceNote => ({
      kind: "canary",
      canary: name,
      hash: canary.hash,
    })),
    ...trials.flatMap(notesOf),
    { kind: "settled", files: { "ledger.jsonl": { sha256: bound, bytes: 1 } } },
  ]);
  return {
    ...{ folder: campaignId(inputs), plan, planHash: hashJson(plan), lines, torn: false, trials, canaries },
    released: new Set(plan.trials.map(({ key }) => key)),
    sections: [],
    ...{ unplanned: [], arms: [] },
    again: { campaign: campaignId(inputs), trials: plan.trials },
    settled: [{ path: "ledger.jsonl", prefix: bound, bytes: 1 }],
    ledger: { ...there(ledger), hash: "" },
    judgeTrials: { ...there([]), hash: "" },
    skills: inputs.skills.map(({ id, treeHash: hash }) => {
      return { id, found: { kind: "there", place: `skills/${id}`, hash, task: null } };
    }),
    benchmarks: inputs.skills.flatMap((skill) =>
      skill.benchmarks.map(({ id: benchmark, bundleHash: hash }) => {
        const place = `benchmarks/${skill.id}/${benchmark}`;
        return { skill: skill.id, benchmark, found: { kind: "there", place, hash, task: "t" } as const };
      }),
    ),
    ...reported({ plan, trials, canaries, ledger, head: sha256(lines.at(-1) ?? "") }),
    publishedHead: null,
  };
}

/** Every line names the one before it. */
export function chainOf(notes: readonly EvidenceNote[]): readonly string[] {
  const lines: string[] = [];
  for (const note of notes) {
    const last = lines.at(-1);
    lines.push(canonicalJson({ ...note, previous: last === undefined ? null : sha256(last) }));
  }
  return lines;
}

/** A trial that passed with the skill and failed without, as a grader says it. */
export function passes(planned: PlannedTrial): Done {
  return {
    trial: endedTrial(planned),
    verdict: gradedAs(planned.arm === "with_skill" ? "passed" : "failed", planned),
  };
}

/** With the assertion that decided it, and the hash of the benchmark that sampleInputs gives it. */
export function gradedAs(verdict: "passed" | "failed", { benchmark }: PlannedTrial): Verdict {
  const assertions = [{ assertion: "the answer is right", passed: verdict === "passed" }];
  return { ...verdictOf(verdict), assertions, bundleHash: benchmark === "one" ? "1" : "2" };
}

export function there<T>(value: T): { readonly kind: "there"; readonly value: T; readonly hash: string } {
  return { kind: "there", value, hash: hashJson(value) };
}

function foundTrial(planned: PlannedTrial, done: Done, voids: number): TrialFound {
  const outcome = done?.trial.outcome;
  const record = <T>(value: T | null | undefined): Read<T> =>
    value === null || value === undefined ? { kind: "absent" } : there(value);
  return {
    planned,
    trial: record(done === null ? null : { ...done.trial, voids }),
    verdict: record(done?.verdict),
    claim: record(done?.claim),
    files: {
      ...(done === null ? {} : { "transcript.jsonl": sha256(`transcript of ${planned.key}`) }),
      ...(done?.verdict == null ? {} : { "grader.log": sha256("log") }),
    },
    said: { system: done?.trial.prompts.system ?? null, task: done?.trial.prompts.task ?? null },
    snapshot: outcome?.kind === "ended" ? { kind: "there", ...outcome.snapshot } : { kind: "absent" },
    voids,
    stopped: 0,
    odd: [],
  };
}

function notesOf({ planned, trial, verdict, claim, files }: TrialFound): readonly EvidenceNote[] {
  const note = (
    kind: "trial" | "verdict" | "claim",
    read: Read<unknown>,
    name: string,
  ): readonly EvidenceNote[] => {
    if (read.kind !== "there") return [];
    const rest = files[name];
    const about = { trial: trialName(planned), key: planned.key, hash: read.hash };
    return [{ kind, ...about, files: rest === undefined ? {} : { [name]: rest } }];
  };
  return [
    ...note("trial", trial, "transcript.jsonl"),
    ...note("verdict", verdict, "grader.log"),
    ...note("claim", claim, ""),
  ];
}

function reported(from: {
  readonly plan: Plan;
  readonly trials: readonly TrialFound[];
  readonly canaries: CampaignFound["canaries"];
  readonly ledger: readonly LedgerLine[];
  readonly head: string;
}): Pick<WholeCampaign, "report" | "rebuilt"> {
  const entryOf = entryMaker();
  const found = {
    plan: from.plan,
    entries: from.trials.map(({ planned, trial, verdict, claim, voids }) =>
      entryOf({
        planned,
        trial: valueOf(trial),
        verdict: valueOf(verdict),
        claim: valueOf(claim),
        voids,
        torn: null,
      }),
    ),
    canaries: from.canaries.flatMap(({ canary }) => valueOf(canary) ?? []),
  };
  const report = makeReport({
    ...found,
    judgeTrials: [],
    leaky: from.plan.leaky,
    sections: [],
  });
  const timings = makeTimings({
    ...found,
    evidenceHead: from.head,
    setAside: [],
    money: moneyOf(from.ledger, from.plan.trials),
  });
  const files = {
    "report.json": `${JSON.stringify(report, null, 2)}\n`,
    "timings.json": `${JSON.stringify(timings, null, 2)}\n`,
    "report.md": renderMarkdown(report, timings),
  };
  return { report: files, rebuilt: { files } };
}

/** What `verifyCampaign` makes of evidence and ledger before it takes the trials. */
export function walked(whole: WholeCampaign): CampaignFound {
  const { plan, lines, ledger, report: texts, rebuilt } = whole;
  const report = reportedFiles(texts["report.json"] ?? null, texts["timings.json"] ?? null);
  const index = indexTrials(plan.trials);
  const chain = new ChainWalk({ trials: plan.trials, index, sought: report.head });
  for (const line of lines) chain.see(line);
  const entries = valueOf(ledger) ?? [];
  const settled = new Set(entries.flatMap((line) => (line.kind === "settled" ? [line.id] : [])));
  const money = new LedgerWalk({ plan, index, settled });
  for (const line of entries) money.see(line);
  const read = ledger.kind === "there" ? { ...ledger, value: money.found() } : ledger;
  const compared = Object.entries(rebuilt.files).map(([name, text]) => {
    return { name, differences: unlikeFile(name, () => [text], texts[name] ?? null) };
  });
  return {
    ...whole,
    ...{ chain: chain.chain(), ledger: read, report },
    rebuilt: { kind: "made", compared, pages: null, foreign: [] },
  };
}

export function verified(whole: WholeCampaign): Verification {
  const open = openVerification(walked(whole));
  for (const one of whole.trials) open.see(one);
  return open.close();
}

/** What one check sees. */
export function looked(check: Check, whole: WholeCampaign): Look {
  const observer = check(walked(whole));
  for (const one of whole.trials) observer.see(one);
  return observer.look();
}

/** Names of the checks that fail, with their first finding in words. */
export function failures(found: WholeCampaign): Partial<Record<CheckName, string>> {
  const words: Partial<Record<CheckName, string>> = {};
  for (const { check, place, expected, came } of verified(found).findings) {
    words[check] ??= `${place}: expected ${expected}, came ${came}`;
  }
  return words;
}

/** The first trial with the skill, otherwise than it should be. */
export function changed(
  over: (trial: Trial) => Trial,
  verdictOver: (verdict: Verdict) => Verdict = same,
): FoundOptions {
  return {
    done: (planned) => {
      const done = passes(planned);
      if (done === null || done.verdict === null || !isChosen(planned)) return done;
      return { trial: over(done.trial), verdict: verdictOver(done.verdict) };
    },
  };
}

function isChosen({ benchmark, model, arm, n }: PlannedTrial): boolean {
  return benchmark === "one" && model === "a/x" && arm === "with_skill" && n === 1;
}

export function same<T>(value: T): T {
  return value;
}

/** What a panel of three said to one question, said to come to yes. */
export function judged(...votes: readonly ("yes" | "no")[]): Pick<Verdict, "answers" | "grader"> {
  const ballots = votes.map((answer, at) => {
    return { question: "tone", judge: `j/${at + 1}`, answer, reason: null, reply: answer };
  });
  const question = { id: "tone", question: "Is it polite?", artefacts: ["letter.md"], expect: true };
  return {
    answers: [{ question, key: "k", ballots, answer: true }],
    grader: { exitCode: 3, signal: null, timedOut: false, seconds: 1 },
  };
}
