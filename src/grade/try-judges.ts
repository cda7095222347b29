import { absences } from "../artefacts/ballot-kind.ts";
import type { Benchmark } from "../artefacts/benchmark.ts";
import type { Bundle } from "../artefacts/bundle.ts";
import type { Grading } from "../artefacts/grading.ts";
import { type JudgeTrial, type JudgeTrials, judgeTrialsFormat } from "../artefacts/judges.ts";
import { type FileTree, overlay } from "../artefacts/tree.ts";
import type { Answer, Ballot } from "../artefacts/verdict.ts";
import type { ChatModel } from "../models/port.ts";
import { knownAnswers, type Panel } from "./ask-panel.ts";

export type TryJudgesPorts = {
  /** Grades one workspace in a fresh container with the whole panel; answers in `known` are not asked for again. */
  readonly grade: (workspace: FileTree, known: Map<string, Answer>) => Promise<Grading>;
  /** What an earlier call came to. It stands, but for judges that were absent. */
  readonly earlier: JudgeTrials | null;
};

type Judge = Pick<ChatModel, "id" | "standIn">;

/**
 * Tries every judge on a benchmark's sentinels before it may judge trials of it: on `good` each of its answers must
 * be as expected, on `bad` at least one must not. Null for a bundle without sentinels. Throws what `ports.grade` does.
 */
export async function tryJudges(
  { skill, bundle }: Pick<Benchmark, "skill" | "bundle">,
  judges: readonly Judge[],
  ports: TryJudgesPorts,
): Promise<JudgeTrials | null> {
  const { sentinels } = bundle;
  if (sentinels === null) return null;
  const earlier = fits(ports.earlier, bundle, judges) ? ports.earlier : null;
  if (earlier?.trials.every(({ outcome }) => outcome !== "absent") === true) return earlier;
  const known = knownAnswers((earlier?.answers ?? []).map(openIfAbsent));
  const good = await ports.grade(sentinelWorkspace(bundle, sentinels.good), known);
  const bad = await ports.grade(sentinelWorkspace(bundle, sentinels.bad), known);
  const unusable = unusableWords("good", good) ?? unusableWords("bad", bad);
  return {
    format: judgeTrialsFormat,
    skill,
    benchmark: bundle.id,
    bundleHash: bundle.hash,
    judges: judges.map(({ id }) => id),
    unusable,
    trials:
      unusable === null
        ? judges.map(({ id }, at) => trialOf(id, ballotsOf(good, at), ballotsOf(bad, at)))
        : [],
    answers: [...good.answers, ...bad.answers],
    standInJudges: judges.some(({ standIn }) => standIn),
  };
}

/**
 * The panel for one benchmark: judges that missed its sentinels, or could not be tried on them, have no vote there.
 * Without sentinels, or with unusable ones, every judge has.
 */
export function panelFor(
  judges: readonly ChatModel[],
  tried: readonly JudgeTrials[],
  { skill, bundle }: Pick<Benchmark, "skill" | "bundle">,
): Required<Pick<Panel, "judges" | "unasked">> {
  const own = tried.find((one) => one.skill === skill && one.benchmark === bundle.id);
  const trials = fits(own ?? null, bundle, judges) ? (own?.trials ?? []) : [];
  const unasked = trials.flatMap(({ judge, outcome, words }) => {
    if (outcome === "passed") return [];
    const why = outcome === "missed" ? absences.setAside : absences.untried;
    return [[judge, `${why}: ${words}`] as const];
  });
  return { judges, unasked: new Map(unasked) };
}

function fits(tried: JudgeTrials | null, bundle: Bundle, judges: readonly Judge[]): boolean {
  if (tried?.bundleHash !== bundle.hash || tried.judges.length !== judges.length) return false;
  return judges.every(({ id }, at) => tried.judges[at] === id);
}

/** As `referenceWorkspace` of the gate: what the solution removes is gone here as well. */
function sentinelWorkspace({ fixtures, spec }: Bundle, files: FileTree): FileTree {
  return overlay(fixtures, files, spec.removes);
}

/** Two equal votes decide a question, but a trial of judges needs the ballot of each. */
function openIfAbsent(answer: Answer): Answer {
  return answer.ballots.some((ballot) => ballot.answer === "absent") ? { ...answer, answer: null } : answer;
}

function unusableWords(name: "good" | "bad", { outcome }: Grading): string | null {
  switch (outcome.kind) {
    case "asks":
      return null;
    case "passed":
      return `the grader passed sentinels/${name} without asking the judges`;
    case "failed": {
      const [first] = outcome.assertions.filter(({ passed }) => !passed);
      return `the grader failed sentinels/${name} without asking the judges (${first?.assertion ?? ""})`;
    }
    case "error":
      return `the grader broke its contract on sentinels/${name} (${outcome.reason})`;
  }
}

type Expected = { readonly ballot: Ballot; readonly expect: boolean };

function ballotsOf({ answers }: Grading, at: number): readonly Expected[] {
  return answers.flatMap(({ ballots, question }) => {
    const ballot = ballots[at];
    return ballot === undefined ? [] : [{ ballot, expect: question.expect }];
  });
}

function trialOf(judge: string, good: readonly Expected[], bad: readonly Expected[]): JudgeTrial {
  const ballots = { good: good.map(({ ballot }) => ballot), bad: bad.map(({ ballot }) => ballot) };
  const wrong = good.filter((one) => isAsExpected(one) === false).map(({ ballot }) => ballot.question);
  if (wrong.length > 0) {
    return {
      judge,
      outcome: "missed",
      words: `not as expected on sentinels/good: ${wrong.join(", ")}`,
      ...ballots,
    };
  }
  if (bad.every((one) => isAsExpected(one) === true)) {
    return { judge, outcome: "missed", words: "everything as expected on sentinels/bad", ...ballots };
  }
  const missing = [...good, ...(bad.some((one) => isAsExpected(one) === false) ? [] : bad)];
  const absent = missing.find((one) => isAsExpected(one) === null)?.ballot;
  if (absent !== undefined) {
    return {
      judge,
      outcome: "absent",
      words: `${absent.question}: ${absent.reason ?? "absent"}`,
      ...ballots,
    };
  }
  return { judge, outcome: "passed", words: "told sentinels/good from sentinels/bad", ...ballots };
}

/** Null for an absent judge. */
function isAsExpected({ ballot, expect }: Expected): boolean | null {
  return ballot.answer === "absent" ? null : (ballot.answer === "yes") === expect;
}
