import { expect, test } from "vitest";
import { panelWarnings } from "./panel-warnings.ts";

const judges = (...ids: readonly string[]): { id: string; standIn: boolean }[] =>
  ids.map((id) => ({ id, standIn: id.startsWith("stand-in/") }));

test.each<[string, readonly string[], readonly string[], readonly RegExp[]]>([
  ["three vendors and another model", ["a/x", "b/y", "c/z"], ["d/w"], []],
  ["a judge under test", ["a/x", "b/y", "c/z"], ["b/y"], [/^judge\.models: b\/y is a model under test too/]],
  [
    "the same model over another route",
    ["a/x:free", "b/y", "c/z"],
    ["A/x"],
    [/a\/x:free is a model under test/],
  ],
  ["one vendor twice", ["a/x", "b/y", "a/z"], [], [/a\/x and a\/z come from one vendor \(a\)/]],
  [
    "one judge three times",
    ["a/x", "a/x", "a/x"],
    ["a/x"],
    [/^judge\.models: a\/x is a/, /a\/x and a\/x and a\/x come/],
  ],
  ["a vendor under test, but another model", ["a/x", "b/y", "c/z"], ["a/other"], []],
  ["stand-ins", ["stand-in/a", "stand-in/b", "c/z"], ["stand-in/a"], []],
])("%s", (_what, ids, models, expected) => {
  const warnings = panelWarnings(judges(...ids), models);
  expect(warnings).toHaveLength(expected.length);
  for (const [at, words] of expected.entries()) expect(warnings[at]).toMatch(words);
});
