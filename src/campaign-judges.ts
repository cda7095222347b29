import type { Benchmark } from "./artefacts/benchmark.ts";
import type { Grading } from "./artefacts/grading.ts";
import type { FileTree } from "./artefacts/tree.ts";
import type { Answer } from "./artefacts/verdict.ts";
import type { Listen } from "./events.ts";
import { knownAnswers } from "./grade/ask-panel.ts";
import { panelFor, tryJudges } from "./grade/try-judges.ts";
import type { ChatModel } from "./models/port.ts";
import type { CampaignStore } from "./store/campaign.ts";
import { openAnswers, readJudgeTrials, writeJudgeTrials } from "./store/judges.ts";

/** What is known of the judges when one trial is graded. */
export type GradeKnowledge = {
  /** Answers by key, of this campaign and of the benchmark's gate; what is answered now is added. */
  readonly known: Map<string, Answer>;
  /** Judges that are not asked about this benchmark, by id, and why. */
  readonly unasked?: ReadonlyMap<string, string>;
  /** Of the ledger's lines: a trial's name, a bundle's id. */
  readonly subject: string;
};

/** Grades one snapshot in a fresh container. Throws `BudgetError` and `InfrastructureError` when judges cannot be asked. */
export type GradeSnapshot = (
  benchmark: Pick<Benchmark, "bundle">,
  workspace: () => AsyncIterable<Uint8Array>,
  knowledge: GradeKnowledge,
) => Promise<Grading>;

export type JudgePorts = {
  readonly judges: readonly ChatModel[];
  readonly grade: GradeSnapshot;
  readonly pack: (tree: FileTree) => AsyncIterable<Uint8Array>;
  readonly listen: Listen;
};

/**
 * The judges of one campaign: answers that were paid for, and who may vote on which benchmark. A judge is tried on a
 * benchmark's sentinels before the first trial of it that is graded.
 */
export class CampaignJudges {
  private readonly folder: string;
  private readonly ports: JudgePorts;
  private readonly known: Map<string, Answer>;
  private readonly panels = new Map<string, Promise<ReadonlyMap<string, string>>>();

  private constructor(folder: string, known: Map<string, Answer>, ports: JudgePorts) {
    this.folder = folder;
    this.known = known;
    this.ports = ports;
  }

  static async open(store: CampaignStore, ports: JudgePorts): Promise<CampaignJudges> {
    return new CampaignJudges(store.folder, await openAnswers(store.answersFile), ports);
  }

  /** For grading one trial. Throws what grading the sentinels throws. */
  async knowledgeOf(
    benchmark: Benchmark,
    subject: string,
    earlier: readonly Answer[],
  ): Promise<GradeKnowledge> {
    const { skill, bundle, gate } = benchmark;
    const { known } = this;
    if (!bundle.spec.judged) return { known, subject };
    for (const [key, answer] of knownAnswers([...gate.answers, ...earlier])) {
      if (!known.has(key)) known.set(key, answer);
    }
    const name = `${skill}/${bundle.id}`;
    let unasked = this.panels.get(name);
    if (unasked === undefined) {
      unasked = this.tryOn(benchmark);
      this.panels.set(name, unasked);
      // The next trial tries again what failed for want of a provider or an engine.
      unasked.catch(() => this.panels.delete(name));
    }
    return { known, subject, unasked: await unasked };
  }

  private async tryOn(benchmark: Benchmark): Promise<ReadonlyMap<string, string>> {
    const { skill, bundle } = benchmark;
    const { judges, grade, pack, listen } = this.ports;
    const earlier = await readJudgeTrials(this.folder, { skill, benchmark: bundle.id });
    const tried = await tryJudges(benchmark, judges, {
      earlier,
      grade: (workspace, known) =>
        grade(benchmark, () => pack(workspace), { known, subject: `${skill}/${bundle.id}/sentinels` }),
    });
    if (tried !== null) await writeJudgeTrials(this.folder, tried);
    const { unasked } = panelFor(judges, tried === null ? [] : [tried], benchmark);
    for (const [judge, reason] of unasked) {
      listen({ kind: "warning", words: `${judge} has no vote on ${skill}/${bundle.id}: ${reason}` });
    }
    return unasked;
  }
}
