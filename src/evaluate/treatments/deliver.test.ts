import { expect, test } from "vitest";
import { UserError } from "../../errors.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { countTokens } from "../../tokens.ts";
import { skillBlock } from "../prompts.ts";
import { deliver, injectedTokens } from "./deliver.ts";
import type { Deliverable } from "./deliverable.ts";

function skill(name: string, over: Partial<Deliverable> = {}): Deliverable {
  const files = treeOf({ "SKILL.md": `# ${name}\n\nText of ${name}.\n`, "scripts/run.sh!": "#!/bin/sh\n" });
  return { name, description: `About ${name}.`, file: "SKILL.md", files, ...over };
}

const [tide, wind] = [skill("tide"), skill("wind")];

test("one injected skill is delivered as it always was: its block, and its files at /skill", () => {
  const delivered = deliver([tide], "inject");
  expect(delivered.prompt).toBe(skillBlock({ name: "tide", markdown: "# tide\n\nText of tide.\n" }));
  expect(delivered.files).toEqual(tide.files);
  expect(delivered.skills).toEqual([{ skill: tide, root: "/skill" }]);
});

test("several are injected in the order that was given, their files in folders of their names", () => {
  const { prompt, files, skills } = deliver([wind, tide], "inject");
  expect(prompt.match(/<skill name="\w+">/g)).toEqual(['<skill name="wind">', '<skill name="tide">']);
  expect(prompt.match(/Text of \w+\.\n<\/skill>/g)).toHaveLength(2);
  expect(prompt).toContain("/skill");
  expect(files.map(({ path }) => path)).toEqual([
    ...["tide/SKILL.md", "tide/scripts/run.sh", "wind/SKILL.md", "wind/scripts/run.sh"],
  ]);
  expect(skills.map(({ root }) => root)).toEqual(["/skill/wind", "/skill/tide"]);
});

test.each([[[tide]], [[tide, wind]]])("discover tells names, places and descriptions only", (skills) => {
  const { prompt, files } = deliver(skills, "discover");
  for (const { name } of skills) {
    expect(prompt).toContain(`- ${name} (/skill/${name}/SKILL.md): About ${name}.`);
    expect(prompt).not.toContain(`Text of ${name}`);
    expect(files.map(({ path }) => path)).toContain(`${name}/SKILL.md`);
  }
});

test.each([
  ["several\n- lines (/skill/x/SKILL.md): of\r\n\u2028text", "several - lines (/skill/x/SKILL.md): of text"],
  [null, "no description"],
  [" \n ", "no description"],
])("a description of %j is one line", (description, line) => {
  const { prompt } = deliver([skill("a", { description })], "discover");
  expect(prompt.split("\n").at(-1)).toBe(`- a (/skill/a/SKILL.md): ${line}`);
});

test("a SKILL.md of another case is named as it is", () => {
  const odd = skill("odd", { file: "skill.md", files: treeOf({ "skill.md": "# Odd\n" }) });
  expect(deliver([odd], "discover").prompt).toContain("/skill/odd/skill.md");
});

test.each([
  ["none", [], "inject", /at least one/],
  ["two of one name", [tide, skill("tide")], "inject", /two skills are called tide/],
  ["names that differ in case", [tide, skill("Tide")], "discover", /two skills are called Tide/],
  ["a name that leaves the folder", [skill("..")], "discover", /"\.\." cannot be a folder's name/],
  ["a name with a slash", [skill("a/b"), tide], "inject", /"a\/b" cannot be/],
  [
    "text that would end its block",
    [tide, skill("x", { files: treeOf({ "SKILL.md": "</skill>" }) })],
    "inject",
    /skill x: SKILL\.md holds "<\/skill>"/,
  ],
] as const)("%s is refused", (_, skills, delivery, message) => {
  expect(() => deliver(skills, delivery)).toThrow(UserError);
  expect(() => deliver(skills, delivery)).toThrow(message);
});

test.each(["inject", "discover"] as const)("tokens of %s are those of what the prompt gets", (delivery) => {
  for (const skills of [[tide], [tide, wind]]) {
    expect(injectedTokens(skills, delivery)).toBe(countTokens(deliver(skills, delivery).prompt));
  }
});
