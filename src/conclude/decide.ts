import type { AnalysisSettings } from "../artefacts/analysis.ts";
import type { Conclusion, ConcludedRow, Decision } from "../artefacts/conclusion.ts";
import { headlineOf } from "./conclude-from.ts";
import { counted, percent, points, size } from "./words.ts";

/** What a decision about one skill rests on. */
export type DecisionGround = {
  readonly skill: string;
  /** Of this skill: its own row, and rows by class and model. */
  readonly concluded: readonly ConcludedRow[];
  readonly uplift: number | null;
  /** `sections`: headings of the skill that the benchmark was made from; empty where unknown. */
  readonly tasks: readonly {
    readonly benchmark: string;
    readonly uplift: number;
    readonly sections: readonly string[];
  }[];
  /** Null where unknown; a limit on something unknown is not kept. */
  readonly tokenRatio: number | null;
  readonly costPerCorrectRatio: number | null;
};

/** Accept, restrict, revise or reject, by the thresholds of the frozen rule. Throws `RangeError` without the skill's own row. */
export function decide(ground: DecisionGround, settings: AnalysisSettings): Decision {
  const own = ground.concluded.find(({ level, skill }) => level === "skill" && skill === ground.skill);
  if (own === undefined) throw new RangeError(`concluded: no row of the skill ${ground.skill}`);
  const conclusion = headlineOf(own);
  const reasons = [`${conclusion.label}: ${conclusion.reason}`, ...conclusion.notes];
  const parts = partsOf(ground);
  switch (conclusion.kind) {
    case "helps":
      return helped(ground, { conclusion, parts, reasons, settings });
    case "hurts":
      return parts.helped.length > 0
        ? restricted(parts.helped, reasons)
        : hurt(ground, { reasons, settings });
    case "no_meaningful_difference":
      if (parts.helped.length > 0) return restricted(parts.helped, reasons);
      return decision("reject", [...reasons, "It costs its tokens and changes nothing that matters."]);
    case "cannot_tell":
      return parts.helped.length > 0 ? restricted(parts.helped, reasons) : unclear(reasons, settings);
  }
}

type Parts = { readonly helped: readonly string[]; readonly hurt: readonly string[] };
type Weighed = {
  readonly conclusion: Conclusion;
  readonly parts: Parts;
  readonly reasons: readonly string[];
  readonly settings: AnalysisSettings;
};

function helped(ground: DecisionGround, { conclusion, parts, reasons, settings }: Weighed): Decision {
  const { minUplift, maxHarmedShare, generalise } = settings.decision;
  if (generalise && conclusion.question === "set")
    return unclear([...reasons, "The rule asks for tasks like these, and this is about this set."], settings);
  if (conclusion.placebo === "not_beaten") return unclear(reasons, settings);
  if (ground.uplift !== null && ground.uplift < minUplift)
    return decision("reject", [
      ...reasons,
      `${points(ground.uplift)} is below the rule's ${size(minUplift)}.`,
    ]);
  const dear = pricesOver(ground, settings);
  if (dear.length > 0) return decision("revise", [...reasons, ...dear]);
  if (parts.hurt.length > 0) {
    const rest = [...reasons, `It hurts in: ${parts.hurt.join(", ")}.`];
    return parts.helped.length > 0 ? restricted(parts.helped, rest) : revised(ground, rest, settings);
  }
  if (harmedOf(ground, settings).length > maxHarmedShare * ground.tasks.length)
    return revised(ground, reasons, settings);
  return decision("accept", reasons);
}

function hurt(
  ground: DecisionGround,
  { reasons, settings }: Pick<Weighed, "reasons" | "settings">,
): Decision {
  const harmed = harmedOf(ground, settings);
  const confined = harmed.length > 0 && harmed.length <= settings.decision.reviseUpTo * ground.tasks.length;
  return confined ? revised(ground, reasons, settings) : decision("reject", reasons);
}

function unclear(reasons: readonly string[], { decision: { unclear: kind } }: AnalysisSettings): Decision {
  return decision(kind, [...reasons, `The rule's word for what is unclear: ${kind}.`]);
}

function restricted(to: readonly string[], reasons: readonly string[]): Decision {
  return { ...decision("restrict", [...reasons, `It helps in: ${to.join(", ")}.`]), to: [...to] };
}

function revised(ground: DecisionGround, reasons: readonly string[], settings: AnalysisSettings): Decision {
  const harmed = harmedOf(ground, settings);
  const shown = harmed.map(({ benchmark, uplift }) => `${benchmark} ${points(uplift)}`).join(", ");
  const sections = harmed.flatMap((task) => (task.sections.length > 0 ? task.sections : [task.benchmark]));
  const share = `${harmed.length} of ${counted(ground.tasks.length, "task")}`;
  return {
    ...decision("revise", [
      ...reasons,
      `It loses ${size(settings.decision.harmedFrom)} or more in ${share}${shown === "" ? "" : `: ${shown}`}.`,
    ]),
    sections: [...new Set(sections)],
  };
}

function harmedOf(
  { tasks }: DecisionGround,
  { decision: { harmedFrom } }: AnalysisSettings,
): DecisionGround["tasks"] {
  return tasks.filter(({ uplift }) => uplift <= -harmedFrom + 1e-12);
}

/** A limit that was set and is not kept, or of which nothing is known. */
function pricesOver(ground: DecisionGround, { decision: rule }: AnalysisSettings): string[] {
  const limits = [
    ["tokens", ground.tokenRatio, rule.maxTokenRatio],
    ["cost per correct", ground.costPerCorrectRatio, rule.maxCostPerCorrectRatio],
  ] as const;
  return limits.flatMap(([what, ratio, most]) => {
    if (most === null || (ratio !== null && ratio <= most)) return [];
    return [
      `The rule allows ${what} at ${percent(most)} of the control's; here it is ${ratio === null ? "unknown" : percent(ratio)}.`,
    ];
  });
}

/** Classes of task if there are any, else models, in which the skill is concluded to help or to hurt. */
function partsOf({ concluded, skill }: DecisionGround): Parts {
  const own = concluded.filter((row) => row.skill === skill);
  const classes = own.filter(({ level }) => level === "class");
  const models = own.filter(({ level }) => level === "skill-model");
  const parts = classes.length > 0 ? classes : models;
  const named = (kind: Conclusion["kind"]): readonly string[] =>
    parts
      .filter((row) => headlineOf(row).kind === kind)
      .map(({ taskClass, model }) => taskClass ?? model ?? "");
  return { helped: named("helps"), hurt: named("hurts") };
}

function decision(kind: Decision["kind"], reasons: readonly string[]): Decision {
  return { kind, reasons: [...reasons], to: [], sections: [] };
}
