import { load } from "js-yaml";
import { expect, test } from "vitest";
import { parseConfig } from "../../config-load.ts";
import { notes } from "./notes.ts";
import { schemaPaths, writeConfig } from "./write-config.ts";

const values = new Map<string, unknown>([
  ["name", "spring"],
  ["skills", ["skills/a", "odd: #name\n- x"]],
  ["evaluation.models", ["acme/coder"]],
]);
const text = writeConfig(values);
/** As the opening of the file says: each # right before a key taken away. */
const all = text.replace(/^( *)#(?! )/gm, "$1");

/** Paths of what stands in a file. */
function pathsIn(value: unknown, above = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => pathsIn(one, `${above}[]`));
  if (value === null || typeof value !== "object") return [];
  const records = above === "models.settings";
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...(above === "" ? [] : [above]), records ? "*" : key].join(".");
    return [...(records ? [] : [path]), ...pathsIn(inner, path)];
  });
}

test("every key of the schema is in the file once, and no other", () => {
  const written = [...new Set(pathsIn(load(all)))].sort();
  expect(written).toEqual([...schemaPaths()].sort());
  expect(written.length).toBeGreaterThan(100);
});

test("every key says why one would change it, and nothing is said about a key that is gone", () => {
  // Entries of a list that is live by itself are explained as wholes.
  const wholes = Object.keys(notes).filter((path) => notes[path]?.entries !== undefined);
  const explained = schemaPaths().filter((path) => !wholes.some((whole) => path.startsWith(`${whole}[]`)));
  expect(Object.keys(notes).sort()).toEqual([...explained].sort());
  const lacking = text.split("\n").filter((line) => /^ *#?(- )?[\w/]+:/.test(line) && !/^\w+:$/.test(line));
  expect(lacking.filter((line) => !line.includes(" # ") && !line.endsWith("vendor/model:"))).toEqual([]);
});

test("as it is, it says what a file with only the filled-in values says", () => {
  const minimal = 'name: spring\nskills: [skills/a, "odd: #name\\n- x"]\nevaluation: {models: [acme/coder]}';
  expect(parseConfig(text, "/c/x.yaml")).toEqual(parseConfig(minimal, "/c/x.yaml"));
});

test("its examples are accepted where they stand", () => {
  const config = parseConfig(all, "/c/x.yaml");
  expect(config.models.settings["vendor/model"]?.pin).toBe("fireworks/fp8");
  expect(config.sandbox.endpoints).toHaveLength(1);
  expect(config.evaluation.arms.map(({ id }) => id)).toEqual([
    "without_skill",
    "with_skill",
    "placebo",
    "without_skill@again",
    "pack-advice",
    "version-v1.0",
    "ablation",
    "placebo@again",
  ]);
});

test("a key that nobody has written about is there all the same", () => {
  const bare = writeConfig(values, {});
  expect(bare).toContain("\n  #deadlineHours: 1\n");
  expect(parseConfig(bare, "/c/x.yaml")).toEqual(parseConfig(text, "/c/x.yaml"));
});

test("groups stand apart, and what is written is one line a key", () => {
  expect(text).not.toMatch(/\n\n\n/);
  expect(text).toMatch(/\n\n# The trials\.\nevaluation:\n/);
  expect(text).toContain("  sources: linked # ");
  expect(text).toContain("; skill | linked | all\n");
});
