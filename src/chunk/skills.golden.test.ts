import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { diagnosticSchema, linkSchema } from "../artefacts/chunks.ts";
import { readTree } from "../store/tree.ts";
import { chunkSkill, defaultChunkSettings } from "./chunk-skill.ts";
import { readSkill } from "./read-skill.ts";

const expectedSchema = z.object({
  purpose: z.string(),
  frontmatter: z.object({
    present: z.boolean(),
    startLine: z.number().nullable(),
    endLine: z.number().nullable(),
    name: z.string(),
    description: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
  }),
  bodyStartLine: z.number().nullable(),
  chunks: z.array(
    z.object({
      index: z.number(),
      level: z.number(),
      title: z.string(),
      path: z.array(z.string()),
      startLine: z.number(),
      endLine: z.number(),
      firstLine: z.string(),
      lastLine: z.string(),
      chars: z.number(),
      sha256: z.string(),
    }),
  ),
  links: z.array(linkSchema),
  files: z.array(z.string()),
  nestedSkills: z.array(z.string()),
  diagnostics: z.array(diagnosticSchema.omit({ message: true })),
});

type Expected = z.infer<typeof expectedSchema>;

const goldenDir = process.env["GOLDEN_DIR"] ?? fileURLToPath(new URL("../testing/golden", import.meta.url));
const skillsDir = join(goldenDir, "skills");
const cases = existsSync(skillsDir)
  ? readdirSync(skillsDir).filter((name) => existsSync(join(skillsDir, name, "expected.json")))
  : [];

test("the golden directory holds something to compare", () => {
  console.log(
    existsSync(skillsDir)
      ? `golden skills: ${cases.length} cases compared`
      : `golden skills: ${goldenDir} has no skills/, nothing compared`,
  );
  const present = ["skills", "clustering.json", "stats.json"].filter((name) =>
    existsSync(join(goldenDir, name)),
  );
  expect(present, `nothing at all in ${goldenDir}`).not.toEqual([]);
  if (existsSync(skillsDir)) expect(cases, `no case in ${skillsDir}`).not.toEqual([]);
});

for (const name of cases) {
  const folder = join(skillsDir, name);
  const { purpose, ...expected } = expectedSchema.parse(
    JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")),
  );
  test(`golden skill ${name}: ${purpose}`, async () => {
    expect(await read(name, folder)).toEqual({ ...expected, diagnostics: sorted(expected.diagnostics) });
  });
}

async function read(id: string, folder: string): Promise<Omit<Expected, "purpose">> {
  const tree = (await readTree(folder)).filter((entry) => entry.path !== "expected.json");
  const { frontmatter, bodyStartLine } = readSkill({ id, tree });
  const { present, startLine, endLine, name, description, data } = frontmatter;
  const artefact = chunkSkill({ id, tree }, { ...defaultChunkSettings, sources: "skill" });
  return {
    frontmatter: { present, startLine, endLine, name, description, data },
    bodyStartLine,
    chunks: artefact.chunks.map(({ index, level, title, path, startLine, endLine, text, sha256 }) => {
      const lines = text.split("\n");
      const derived = { firstLine: lines[0]!, lastLine: lines.at(-1)!, chars: Array.from(text).length };
      return { index, level, title, path, startLine, endLine, ...derived, sha256 };
    }),
    links: artefact.links,
    files: artefact.files.map(({ path }) => path),
    nestedSkills: artefact.nestedSkills,
    diagnostics: sorted(artefact.diagnostics),
  };
}

/** Compared as a multiset, without the wording. */
function sorted(diagnostics: Expected["diagnostics"]): Expected["diagnostics"] {
  return diagnostics
    .map(({ severity, code, line, field }) => ({ severity, code, line, field }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
