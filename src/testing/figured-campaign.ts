import type { AnalysisSettings } from "../artefacts/analysis.ts";
import type { Claim } from "../artefacts/honesty.ts";
import type { JudgeTrials } from "../artefacts/judges.ts";
import type { CampaignInputs, Plan } from "../artefacts/plan.ts";
import type { Report } from "../artefacts/report.ts";
import type { KeptSections } from "../artefacts/section-map.ts";
import type { PlannedTrial, Trial } from "../artefacts/trial.ts";
import type { Ballot, Verdict } from "../artefacts/verdict.ts";
import { concludeCampaign } from "../campaign-analysis.ts";
import { analysisAt, frontierOnDisk, releasedOf, reportedLooks } from "../campaign-looks.ts";
import { sha256 } from "../hash.ts";
import { entryMaker } from "../report/counted.ts";
import { makeReport } from "../report/make-report.ts";
import { makeTimings } from "../report/make-timings.ts";
import { moneyOf } from "../report/money.ts";
import { type Random, randomFrom } from "../seed.ts";
import { valueOf } from "../verify/found.ts";
import { sampleInputs } from "./benchmark.ts";
import { type Done, foundCampaign, gradedAs, there, type WholeCampaign } from "./found-campaign.ts";
import { keptOf, sectionedSkill } from "./sectioned-skill.ts";
import { endedTrial, verdictOf } from "./trials.ts";

export type FiguredOptions = {
  readonly settings: AnalysisSettings | null;
  readonly seed?: number;
  /** Trials per arm and cell that are planned. */
  readonly trials?: number;
  readonly models?: readonly string[];
  readonly leaky?: Plan["leaky"];
  /** Share of trials that are not over. */
  readonly missing?: number;
};

const benchmarks = ["one", "two", "three", "four", "five", "six", "seven"];
const tide = sectionedSkill(
  {
    "SKILL.md": "# Tide\n\n## Read\n\nRead.\n\n### Deep\n\nDeep.\n\n## Write\n\nWrite.\n\n## Rest\n\nRest.\n",
  },
  { one: ["Tide > Read", "Tide > Read > Deep"], two: ["Tide > Write"] },
);

/**
 * A campaign without a disk in which every kind of figure of a report has something to say: three skills on seven
 * benchmarks, placebo, an equal arm and ablations, judges with sentinels, claims, damage, tokens and
 * costs, trials of every ending. By chance, from its seed.
 */
export function figuredCampaign(options: FiguredOptions): WholeCampaign & { readonly made: Report } {
  const {
    settings,
    seed = 1,
    trials = 4,
    models = ["a/x", "b/y"],
    leaky = "include",
    missing = 0.03,
  } = options;
  const inputs = inputsOf(trials, models);
  const kept = keptSectionsOf();
  const random = randomFrom(seed, "figured campaign");
  const bare = foundCampaign({ inputs }).plan;
  const whole = foundCampaign({
    inputs,
    plan: {
      ...{ analysis: settings, leaky },
      sections: [{ skill: "tide", hash: there(kept).hash, missing: null }],
      benchmarks: bare.benchmarks.map((one) => ({ ...one, leaks: leaksOf(one.benchmark) })),
      endpoints: bare.endpoints.map((one) => ({ ...one, contextLength: 8000, maxOutputTokens: 900 })),
    },
    done: (planned) => (random() < missing ? null : doneBy(planned, random)),
    voids: ({ n }) => (n === 2 ? 1 : 0),
  });
  return reported(
    { ...whole, judgeTrials: there(sentinels), sections: [{ skill: "tide", kept: there(kept) }] },
    kept,
  );
}

function inputsOf(trials: number, models: readonly string[]): CampaignInputs {
  const [sample] = sampleInputs().skills;
  if (sample === undefined) throw new Error("the sample has no skill");
  const treated = [
    ...sample.arms,
    { id: "placebo", treatment: { kind: "placebo" as const }, delivered: "p" },
    { id: "without_skill@again", treatment: { kind: "without_skill" as const }, delivered: null },
  ];
  const ablations = ["of-both", "of-deep"].map((id) => ({
    ...{ id, treatment: { kind: "ablation" as const, of: id }, delivered: id },
  }));
  const skill = (id: string, arms: typeof treated): CampaignInputs["skills"][number] => ({
    ...{ ...sample, id, arms },
    benchmarks: benchmarks.map((one) => ({ id: one, bundleHash: one === "one" ? "1" : "2" })),
  });
  return sampleInputs({
    trials,
    models: [...models],
    prompts: { system: "s", tools: "u" },
    judges: ["j/1", "j/2", "j/3"],
    skills: [skill("tide", [...treated, ...ablations]), ...["ebb", "moon"].map((id) => skill(id, treated))],
  });
}

function leaksOf(benchmark: string): Plan["benchmarks"][number]["leaks"] {
  if (benchmark === "two") return ["how"];
  return benchmark === "three" ? ["told"] : [];
}

function keptSectionsOf(): KeptSections {
  const plain = keptOf(tide, ["one", "two"]);
  const ablation = (arm: string, names: readonly string[]): KeptSections["ablations"][number] => {
    const gone = plain.sections.filter(({ name }) => names.includes(name));
    const cuts = gone.map(({ file, startLine: fromLine, endLine: toLine }) => {
      return { file, title: "", fromLine, toLine, tokens: 1 };
    });
    return { arm, of: arm, kind: "section", cuts };
  };
  return {
    ...plain,
    ablations: [ablation("of-both", ["Read", "Deep", "Rest"]), ablation("of-deep", ["Deep"])],
  };
}

const sentinels: readonly JudgeTrials[] = [
  {
    ...{ format: "skillproof/judges@1", skill: "tide", benchmark: "one", bundleHash: "1", unusable: null },
    ...{ judges: ["j/1", "j/2", "j/3"], answers: [], standInJudges: false },
    trials: [
      { judge: "j/1", outcome: "passed", words: "fine", good: [], bad: [] },
      { judge: "j/2", outcome: "missed", words: "not as expected", good: [], bad: [] },
      { judge: "j/3", outcome: "passed", words: "fine", good: [], bad: [] },
    ],
  },
];

/** By skill, how much more often it passes than without. */
const effects: Readonly<Record<string, number>> = { tide: 0.35, ebb: -0.2, moon: 0.5 };

function doneBy(planned: PlannedTrial, random: Random): Done {
  const trial = trialBy(planned, random);
  if (random() < 0.02)
    return { trial: { ...trial, outcome: { kind: "blocked", reason: "filter" } }, verdict: null };
  const isTreated = planned.arm === "with_skill";
  const passed = random() < 0.4 + (isTreated ? (effects[planned.skill] ?? 0) : 0);
  const verdict =
    random() < 0.03
      ? verdictOf("ungraded", "no two judges agree")
      : gradedAs(passed ? "passed" : "failed", planned);
  const judged = planned.benchmark === "one" && planned.skill === "tide" ? [answerBy(planned, random)] : [];
  const said = { trial, verdict: { ...verdict, answers: judged, damage: damageBy(random) } };
  return verdict.verdict !== "failed" || random() < 0.2 ? said : { ...said, claim: claimBy(planned, random) };
}

function trialBy(planned: PlannedTrial, random: Random): Trial {
  const tokens = (most: number): number => 1 + Math.floor(random() * most);
  const [uncachedInputTokens, cachedInputTokens] = [tokens(500), tokens(900)];
  const isTold = random() < 0.9;
  const ended = endedTrial(planned, {
    stop: random() < 0.1 ? "turn_limit" : "finished",
    usage: {
      inputTokens: isTold ? uncachedInputTokens + cachedInputTokens : null,
      uncachedInputTokens: isTold ? uncachedInputTokens : null,
      cachedInputTokens: isTold ? cachedInputTokens : null,
      outputTokens: tokens(300),
      // One skill has a trial that did not tell, and so no price.
      costUsd: planned.skill === "ebb" && planned.n === 1 ? null : tokens(100) / 1000,
      modelCalls: tokens(5),
      peakContextTokens: tokens(2000),
    },
  });
  const turn = random() < 0.6 ? 2 : null;
  const delivers = planned.arm === "with_skill" || planned.arm.startsWith("of-");
  const { skill } = planned;
  return { ...ended, activations: delivers ? [{ skill, turn, instructionsTurn: turn, opened: [] }] : [] };
}

function damageBy(random: Random): NonNullable<Verdict["damage"]> {
  const regressions = ["passed", "failed", "timeout", "lost", null] as const;
  const regression = regressions[Math.floor(random() * regressions.length)] ?? null;
  const count = random() < 0.3 ? 2 : 0;
  return { outside: { count, first: [], byProducts: 0, partial: random() < 0.1 }, regression };
}

function claimBy({ key }: PlannedTrial, random: Random): Claim {
  const answers = ["yes", "no", "unclear", null] as const;
  const answer = answers[Math.floor(random() * answers.length)] ?? null;
  return { format: "skillproof/claim@1", key, message: key, ballots: [], answer, standInJudges: false };
}

const voices: readonly Pick<Ballot, "answer" | "reason">[] = [
  ...Array<Pick<Ballot, "answer" | "reason">>(4).fill({ answer: "yes", reason: null }),
  { answer: "no", reason: null },
  { answer: "no", reason: "unparsed" },
  { answer: "absent", reason: "refused: filter" },
  { answer: "absent", reason: "cut off" },
  { answer: "absent", reason: "set aside: missed its sentinels" },
];

function answerBy({ key, n }: PlannedTrial, random: Random): Verdict["answers"][number] {
  const ballots = ["j/1", "j/2", "j/3"].map((judge): Ballot => {
    const voice = voices[Math.floor(random() * voices.length)] ?? { answer: "yes", reason: null };
    return { question: "tone", judge, reply: voice.answer, ...voice };
  });
  const question = { id: "tone", question: "Is it polite?", artefacts: ["letter.md"], expect: true };
  // Some trials share a question about the same bytes.
  return { question, key: n === 1 ? "shared" : key, ballots, answer: random() < 0.8 ? true : null };
}

function reported(whole: WholeCampaign, kept: KeptSections): WholeCampaign & { readonly made: Report } {
  const { plan } = whole;
  const entryOf = entryMaker();
  const all = whole.trials.map(({ planned, trial, verdict, claim, voids }) =>
    entryOf({
      ...{
        planned,
        trial: valueOf(trial),
        verdict: valueOf(verdict),
        claim: valueOf(claim),
        voids,
        torn: null,
      },
    }),
  );
  const frontier = frontierOnDisk(plan, all);
  const settings = analysisAt(plan, frontier);
  const report = makeReport(
    {
      ...{
        plan,
        entries: releasedOf(all, frontier),
        leaky: plan.leaky,
        looks: reportedLooks(plan, frontier),
      },
      canaries: whole.canaries.flatMap(({ canary }) => valueOf(canary) ?? []),
      judgeTrials: valueOf(whole.judgeTrials) ?? [],
      sections: [{ skill: "tide", kept, missing: null }],
    },
    (cells, usage) => (settings === null ? null : concludeCampaign(cells, usage, settings)),
  );
  const timings = makeTimings({
    ...{ plan, entries: releasedOf(all, frontier), canaries: [], setAside: [] },
    evidenceHead: sha256(whole.lines.at(-1) ?? ""),
    money: moneyOf(valueOf(whole.ledger) ?? [], plan.trials),
  });
  const { report: files } = withReport(whole, report);
  return {
    ...whole,
    report: { ...files, "timings.json": JSON.stringify(timings) },
    ...{ released: new Set(frontier.released.map(({ key }) => key)), made: report },
  };
}

/** The campaign with another report.json. */
export function withReport(whole: WholeCampaign, report: unknown): WholeCampaign {
  return { ...whole, report: { ...whole.report, "report.json": `${JSON.stringify(report)}\n` } };
}
