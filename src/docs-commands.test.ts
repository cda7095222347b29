import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { main } from "./cli/main.ts";
import { capturedIo } from "./testing/captured-io.ts";
import type { RunningFake } from "./testing/fake-openrouter.mjs";
import { readDocs, type ShellLine, shellLines } from "./testing/read-docs.ts";
import {
  addReadersBenchmark,
  perform,
  readersCampaigns,
  readersFolder,
  readersServer,
  readersSkill,
  readersSkillText,
} from "./testing/reader-folder.ts";
import { marker } from "./testing/sample-campaign.ts";
import { mostTrialPages } from "./trial-pages.ts";

// A page of commands makes containers, and waits for those of other tests.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const pages = (await readDocs(join(import.meta.dirname, "..")))
  .map(({ file, fences }) => ({
    file,
    lines: fences.flatMap(({ language, text }) => (language === "sh" ? shellLines(text) : [])),
  }))
  .filter(({ lines }) => lines.length > 0);

/** What is not skillproof itself, and why it is not tried here. */
const others: Readonly<Record<string, string>> = {
  "npm run demo": "src/cli/demo.test.ts makes the demo",
  "npm test": "this is it",
  "npm install --save-dev ../skillproof":
    "npm links a folder; src/docs.test.ts holds scripts against package.json",
  "export OPENROUTER_API_KEY=sk-your-key": "the environment of the commands below has it",
};

const gated = "a whole gate: src/docs.long.test.ts carries it out";
/** Commands that are only held against the command line, and why. */
const onlyParsed: Readonly<Record<string, string>> = {
  "npx skillproof build skills/my-skill": gated,
  "npx skillproof build skills/my-skill --only answer --force": gated,
  "npx skillproof validate benchmarks/my-skill/answer": gated,
};

/** Where it is not 0. The second campaign of the reader is on a skill that was spoilt. */
const expectedCodes: Readonly<Record<string, number>> = {
  "npx skillproof compare BASE HEAD --fail-on hurts,regression": 1,
};

let server: RunningFake;
/** With a campaign file, a benchmark and two campaigns. */
let settled: string;
let base: string;
let head: string;
const made: string[] = [];

beforeAll(async () => {
  server = await readersServer();
  settled = await readersFolder();
  made.push(settled);
  await perform(settled, ["init"], server);
  await addReadersBenchmark(settled);
  const skill = join(settled, "skills", readersSkill, "SKILL.md");
  base = await evaluated();
  await writeFile(skill, readersSkillText.replace(marker, "NOTHING"));
  head = await evaluated();
  await writeFile(skill, readersSkillText);
});
afterAll(async () => {
  await server.close();
  for (const folder of made) await rm(folder, { recursive: true });
});

async function evaluated(): Promise<string> {
  const before = await readersCampaigns(settled);
  const models = ["--models", "qwen/qwen3-coder,z-ai/glm-4.6", "--trials", "3"];
  const { code, err } = await perform(settled, ["eval", "--yes", ...models], server);
  expect(code, err).toBe(0);
  return (await readersCampaigns(settled)).find((name) => !before.includes(name)) ?? "none";
}

/** Stands for something of the reader's: in capitals on the pages. */
async function resolved(word: string, folder: string): Promise<string> {
  const own = (await readersCampaigns(folder)).at(-1) ?? "none";
  const campaign = (await readersCampaigns(folder)).includes(base) ? base : own;
  switch (word) {
    case "CAMPAIGN":
      return `out/${campaign}`;
    case "BASE":
      return `out/${base}`;
    case "HEAD":
      return `out/${head}`;
    case "HASH": {
      const { out } = await perform(folder, ["verify", campaign], server);
      return /^head ([0-9a-f]{64})$/m.exec(out)?.[1] ?? "none";
    }
    default:
      return word;
  }
}

/** Someone who begins has a skill and a key; on other pages there are campaigns already. */
async function folderFor(lines: readonly ShellLine[]): Promise<string> {
  if (lines.some(({ line }) => line === "npx skillproof init")) {
    const folder = await readersFolder();
    made.push(folder);
    return folder;
  }
  const folder = await mkdtemp(join(tmpdir(), "reader-"));
  made.push(folder);
  await cp(settled, folder, { recursive: true });
  return folder;
}

test.each(pages)("$file: every command does what it is there for, one after the other", async ({ lines }) => {
  const folder = await folderFor(lines);
  for (const { line, words, into } of lines) {
    if (others[line] !== undefined) continue;
    expect(words.slice(0, 2), `${line}: neither skillproof nor known`).toEqual(["npx", "skillproof"]);
    if (onlyParsed[line] !== undefined) {
      await isAccepted(line, words.slice(2));
      continue;
    }
    const args = await Promise.all(words.slice(2).map((word) => resolved(word, folder)));
    const { code, out, err } = await perform(folder, args, server);
    expect(code, `${line}\n${out}\n${err}`).toBe(expectedCodes[line] ?? 0);
    expect(`${out}${err}`, line).not.toBe("");
    if (into !== null) await writeFile(join(folder, into), out);
    // What `build` would have made.
    if (args[0] === "init") await addReadersBenchmark(folder);
  }
});

/** The program knows all of it: in an empty folder it complains of nothing but what is not there. */
async function isAccepted(line: string, words: readonly string[]): Promise<void> {
  const empty = await mkdtemp(join(tmpdir(), "reader-"));
  made.push(empty);
  const io = capturedIo(empty);
  expect(await main(words, io), line).toBe(2);
  expect(io.stderr()).toContain("skillproof.config.yaml: cannot be read");
}

test("what is not tried is on a page, and an option that is unknown would be found", async () => {
  const all = new Set(pages.flatMap(({ lines }) => lines.map(({ line }) => line)));
  const listed = [...Object.keys(others), ...Object.keys(onlyParsed), ...Object.keys(expectedCodes)];
  expect(listed.filter((line) => !all.has(line))).toEqual([]);
  await expect(isAccepted("a wrong one", ["build", "skills/x", "--onyl", "a"])).rejects.toThrow();
});

test("what compare printed on the page about CI begins with its marker", async () => {
  const { out } = await perform(settled, ["compare", base, head], server);
  expect(out.split("\n")[0]).toBe(`<!-- skillproof-compare:${readersSkill} -->`);
  const report = await readFile(join(settled, "out", base, "report/report.md"), "utf8");
  expect(report.split("\n")[0]).toBe(`<!-- skillproof:${readersSkill} -->`);
});

test("reading a report names every file of a report", async () => {
  const files = await readdir(join(settled, "out", base, "report"), { recursive: true, withFileTypes: true });
  const text = await readFile(join(import.meta.dirname, "../docs/reading-a-report.md"), "utf8");
  const names = files
    .filter((file) => file.isFile())
    .map(({ name, parentPath }) => {
      const place = join(parentPath, name).split("/report/")[1] ?? "";
      if (place.startsWith("trials/")) return "trials/…/*.html";
      return place.replace(readersSkill, "<skill>");
    });
  const most = `up to ${mostTrialPages.toLocaleString("en-US")} planned trials`;
  expect(text).toContain(most);
  expect([...new Set(names)].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
