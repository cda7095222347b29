import { expect, test } from "vitest";
import { defaultBoilerplateTitles, markBoilerplate } from "./boilerplate.ts";

function marked(
  paths: readonly (readonly string[])[],
  titles = defaultBoilerplateTitles,
): readonly boolean[] {
  const sections = paths.map((path) => ({
    level: path.length,
    title: path.at(-1) ?? "",
    path,
    startLine: 1,
    endLine: 1,
    text: "",
  }));
  return markBoilerplate(sections, titles);
}

test.each([
  { title: "Overview", boilerplate: true },
  { title: "📦 Installation:", boilerplate: true },
  { title: "2.1 See also", boilerplate: true },
  { title: "1. 📋 Prerequisites", boilerplate: true },
  { title: "When to Use This Skill", boilerplate: true },
  { title: "When to use", boilerplate: true },
  { title: "When to user-test", boilerplate: false },
  { title: "Installation rules for racks", boilerplate: false },
  { title: "Export format", boilerplate: false },
  { title: "", boilerplate: false },
])("title $title: boilerplate $boilerplate", ({ title, boilerplate }) => {
  expect(
    marked([
      ["Skill", title],
      ["Skill", "Other"],
    ]),
  ).toEqual([boilerplate, false]);
});

test("what stands below a boilerplate heading is boilerplate, unless the whole document stands below it", () => {
  expect(marked([["T"], ["T", "Installation", "macOS"], ["T", "Export"]])).toEqual([false, true, false]);
  expect(marked([["Overview"], ["Overview", "Export"]])).toEqual([true, false]);
});

test("the list can be replaced", () => {
  expect(
    marked(
      [
        ["T", "Overview"],
        ["T", "Credits due"],
      ],
      ["credits*"],
    ),
  ).toEqual([false, true]);
  expect(marked([["T", "Overview"]], [])).toEqual([false]);
});
