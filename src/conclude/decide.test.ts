import { expect, test } from "vitest";
import type { Conclusion, ConcludedRow } from "../artefacts/conclusion.ts";
import type { ConclusionKind } from "../artefacts/conclusion-kind.ts";
import { alike, armCells, settingsOf } from "../testing/arm-cells.ts";
import { analyse } from "./analyse.ts";
import { concludeAll } from "./conclude-from.ts";
import { decide, type DecisionGround } from "./decide.ts";

const comparison = { arm: "with_skill", against: "without_skill" };

function concluded(kind: ConclusionKind, part: Partial<ConcludedRow & Conclusion> = {}): ConcludedRow {
  const { question = "tasks", placebo = null, level = "skill", taskClass = null, model = null } = part;
  const set: Conclusion = {
    question,
    kind,
    label: kind,
    placebo,
    reason: "A reason.",
    notes: [],
    take: null,
  };
  return {
    level,
    skill: "skill",
    model,
    taskClass,
    comparison,
    set,
    tasks: question === "tasks" ? set : null,
  };
}

/** Ten tasks, of which the first `harmed` lose 30 points. */
function ground(part: Partial<DecisionGround> = {}, harmed = 0): DecisionGround {
  return {
    skill: "skill",
    concluded: [concluded("helps")],
    uplift: 0.2,
    tasks: Array.from({ length: 10 }, (_, at) => ({
      benchmark: `b${at}`,
      uplift: at < harmed ? -0.3 : 0.3,
      sections: at % 2 === 0 ? [`Heading ${at}`] : [],
    })),
    tokenRatio: null,
    costPerCorrectRatio: null,
    ...part,
  };
}

type Rule = NonNullable<NonNullable<Parameters<typeof settingsOf>[0]>["decision"]>;
const own = (kind: ConclusionKind, ...others: readonly ConcludedRow[]): Partial<DecisionGround> => ({
  concluded: [concluded(kind), ...others],
});
const inClass = (kind: ConclusionKind, taskClass: string): ConcludedRow =>
  concluded(kind, { level: "class", taskClass });
const onModel = (kind: ConclusionKind, model: string): ConcludedRow =>
  concluded(kind, { level: "skill-model", model });

const rows: readonly [string, DecisionGround, Rule, Record<string, unknown>][] = [
  ["helps", ground(), {}, { kind: "accept" }],
  ["helps by less than the rule asks", ground(), { minUplift: 0.25 }, { kind: "reject" }],
  ["helps, and harms a few tasks", ground({}, 2), {}, { kind: "accept" }],
  [
    "helps, and harms too many",
    ground({}, 4),
    {},
    { kind: "revise", sections: ["Heading 0", "b1", "Heading 2", "b3"] },
  ],
  ["helps, and costs too many tokens", ground({ tokenRatio: 3.1 }), { maxTokenRatio: 2 }, { kind: "revise" }],
  ["helps, and what it costs is unknown", ground(), { maxCostPerCorrectRatio: 2 }, { kind: "revise" }],
  ["helps at a price within the rule", ground({ tokenRatio: 2 }), { maxTokenRatio: 2 }, { kind: "accept" }],
  [
    "helps this set where tasks like these are asked for",
    ground({ concluded: [concluded("helps", { question: "set" })] }),
    { generalise: true },
    { kind: "undecided" },
  ],
  [
    "helps this set where that is enough",
    ground({ concluded: [concluded("helps", { question: "set" })] }),
    {},
    { kind: "accept" },
  ],
  [
    "no more than the placebo",
    ground({ concluded: [concluded("helps", { placebo: "not_beaten" })] }),
    {},
    { kind: "undecided" },
  ],
  [
    "helps, and hurts one model",
    ground(own("helps", onModel("helps", "a"), onModel("hurts", "b"))),
    {},
    { kind: "restrict", to: ["a"] },
  ],
  ["hurts everywhere", ground(own("hurts"), 10), {}, { kind: "reject", sections: [] }],
  ["hurts through some tasks", ground(own("hurts"), 5), {}, { kind: "revise" }],
  ["hurts through more than may be mended", ground(own("hurts"), 6), {}, { kind: "reject" }],
  [
    "hurts, and helps one class",
    ground(own("hurts", inClass("helps", "forms")), 6),
    {},
    { kind: "restrict", to: ["forms"] },
  ],
  ["changes nothing", ground(own("no_meaningful_difference")), {}, { kind: "reject" }],
  [
    "changes nothing on the whole, and helps one class",
    ground(own("no_meaningful_difference", inClass("helps", "forms"), inClass("hurts", "tables"))),
    {},
    { kind: "restrict", to: ["forms"] },
  ],
  ["cannot tell", ground(own("cannot_tell")), {}, { kind: "undecided" }],
  ["cannot tell, by a strict rule", ground(own("cannot_tell")), { unclear: "reject" }, { kind: "reject" }],
  [
    "cannot tell, and helps one model",
    ground(own("cannot_tell", onModel("helps", "a"))),
    {},
    { kind: "restrict", to: ["a"] },
  ],
];

test.for(rows)("%s", ([, given, rule, wanted]) => {
  const got = decide(given, settingsOf({ decision: rule }));
  expect(got).toMatchObject(wanted);
  expect(got.reasons[0]).toContain("A reason.");
});

test("rows of other skills have no say", () => {
  const other = { ...inClass("helps", "forms"), skill: "another" };
  expect(decide(ground(own("hurts", other), 10), settingsOf()).kind).toBe("reject");
  expect(() => decide(ground({ skill: "absent" }), settingsOf())).toThrow(/no row of the skill absent/);
});

test("from cells to a decision", () => {
  const settings = settingsOf({ bootstrap: { resamples: 0 } });
  const cells = armCells(["with_skill", "without_skill"], alike([10, "0/5 5/5"]));
  const analysis = analyse(cells, settings);
  const tasks = analysis.tasks.map(({ benchmark, uplift }) => ({ benchmark, uplift, sections: [] }));
  const got = decide({ ...ground({ uplift: -1, tasks }), concluded: concludeAll(analysis) }, settings);
  expect(got.kind).toBe("reject");
  expect(got.reasons[0]).toMatch(/^hurts: −100\.0 points/);
});
