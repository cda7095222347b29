import { expect, test } from "vitest";
import { gateRecordSchema, type GateSettings, leakSchema } from "../../artefacts/gate.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { bundleOf, output, rows, section, text } from "../../testing/settlement-bundle.ts";
import type { CheckTools, Finding, GateContext } from "../check.ts";
import { defaultGateSettings, runGate } from "../run-gate.ts";
import { leaks } from "./leaks.ts";

const beside: GateContext = { sections: [section], skill: treeOf({ "SKILL.md": section.text }) };

function unasked(): never {
  throw new Error("the leak check needs no container");
}

function tools(settings: Partial<GateSettings>, context: GateContext): CheckTools {
  return {
    grade: unasked,
    gradeReferenceOnce: unasked,
    actAsAgent: unasked,
    seen: [],
    settings: { ...defaultGateSettings, ...settings },
    context,
    cheats: [],
  };
}

const prove = (
  mode: GateSettings["leaks"],
  over: Parameters<typeof bundleOf>[0],
  context: GateContext = beside,
): Promise<Finding> => leaks.prove(bundleOf(over), tools({ leaks: mode }, context));

const howInTask = {
  "task.md": "Settle `data/in.csv`: multiply each weight by the tide factor and drop every row.\n",
};
const answerInFixtures = { "fixtures/old.csv": text(output) };

test("a bundle that gives nothing away passes without a warning", async () => {
  for (const mode of ["warn", "reject"] as const) {
    const finding = await prove(mode, {});
    expect(finding).toMatchObject({ passed: true, warnings: [], facts: { leaks: [] } });
  }
});

test.each<[string, Parameters<typeof bundleOf>[0], readonly string[]]>([
  [
    "the skill's how in the task",
    howInTask,
    [
      "task.md says what only the skill should",
      "“multiply each weight by the tide factor and drop every row”",
      "skill/SKILL.md",
      "follow our … convention",
    ],
  ],
  [
    "the answer in the fixtures",
    answerInFixtures,
    [
      "fixtures/old.csv holds what grader/expected.csv expects",
      "fixtures/old.csv holds a part of reference/out/settled.csv",
      "Take it out",
    ],
  ],
])("%s is a warning, and a reason to refuse where that is asked for", async (_what, over, words) => {
  const warned = await prove("warn", over);
  const refused = await prove("reject", over);
  expect(warned.passed).toBe(true);
  expect(refused.passed).toBe(false);
  for (const part of words) {
    expect(warned.warnings?.join("\n")).toContain(part);
    expect(refused.words).toContain(part);
  }
  expect(refused.facts).toEqual(warned.facts);
  for (const leak of refused.facts?.leaks ?? []) expect(leakSchema.parse(leak)).toEqual(leak);
});

test("what the skill tells is a warning in both modes, until it is half of a reference", async () => {
  const telling = (count: number): GateContext => ({
    ...beside,
    skill: treeOf({ "SKILL.md": section.text, "table.csv": text(output.slice(0, count)) }),
  });
  for (const mode of ["warn", "reject"] as const) {
    const finding = await prove(mode, {}, telling(3));
    expect(finding.passed).toBe(true);
    expect(finding.warnings).toHaveLength(3);
    expect(finding.warnings?.[1]).toContain(
      `skill/table.csv has “${output[1] ?? ""}” of reference/out/settled.csv word for word`,
    );
  }
  expect((await prove("warn", {}, telling(15))).passed).toBe(true);
  const refused = await prove("reject", {}, telling(15));
  expect(refused.passed).toBe(false);
  expect(refused.words).toContain("reference/out/settled.csv: half of its lines or more stand in the skill");
});

test("many passages are counted, kept up to fifty and told up to ten", async () => {
  const rule = rows(70).map((row) => `The mark of ${row.replaceAll(",", " then ")} is given on paper.`);
  const context = { ...beside, sections: [{ file: "SKILL.md", text: rule.join("\n") }] };
  const task = rule.map((words, at) => `${words}\nWhatever else ${at} may be there.`).join("\n\n");
  const warned = await prove("warn", { "task.md": task }, context);
  const refused = await prove("reject", { "task.md": task }, context);
  const found = Number(/^\d+/.exec(warned.words)?.[0]);
  expect(found).toBeGreaterThan(50);
  expect(warned.facts?.leaks).toHaveLength(50);
  expect(warned.warnings).toHaveLength(11);
  expect(warned.warnings?.at(-1)).toContain(`${found - 10} more`);
  expect(refused.words.split("\n")).toHaveLength(11);
});

test("a passage is shown in at most two hundred characters on one line", async () => {
  const words = rows(40).join("\n");
  const context = { ...beside, sections: [{ file: "SKILL.md", text: words }] };
  const { facts } = await prove(
    "warn",
    { "task.md": `Here.\n\n${words}\n`, "fixtures/data/in.csv": "a,b\n" },
    context,
  );
  const passages = facts?.leaks?.map(({ passage }) => passage) ?? [];
  expect(passages.length).toBeGreaterThan(0);
  for (const passage of passages) expect(passage).toMatch(/^[^\n]{1,200}$/u);
  expect(Math.max(...passages.map((passage) => passage.length))).toBe(200);
});

test.each<[string, Partial<GateContext>, string]>([
  ["the skill", { skill: null }, "Not compared with the skill"],
  ["the sections", { sections: null }, "Not compared with the sections"],
])("without %s at hand it says so, and compares the rest", async (_what, absent, words) => {
  const finding = await prove("reject", answerInFixtures, { ...beside, ...absent });
  expect(finding.passed).toBe(false);
  expect(finding.warnings?.join("\n")).toContain(words);
});

test("in a gate the passages stand in the record, and the same bundle gives the same record", async () => {
  const image = { id: "sha256:1", recipe: "r", base: "packages" } as const;
  const settings = { ...defaultGateSettings, leaks: "warn" } as const;
  const gate = () =>
    runGate(
      bundleOf({ ...howInTask, ...answerInFixtures }),
      null,
      { grade: unasked, actAsAgent: unasked, settings, context: beside, cheats: [], image },
      { checks: [leaks] },
    );
  const record = await gate();
  expect(record.passed).toBe(true);
  expect(new Set(record.leaks.map(({ kind }) => kind))).toEqual(new Set(["how", "answer", "reference"]));
  expect(gateRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
  expect(await gate()).toEqual(record);
});
