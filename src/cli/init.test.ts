import { mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadConfig } from "../config-load.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { campaignIn } from "../testing/eval-command.ts";
import { sampleCampaign } from "../testing/sample-campaign.ts";
import { usualModels } from "./init.ts";
import { main } from "./main.ts";

vi.setConfig({ testTimeout: 180_000 });

const file = "skillproof.config.yaml";
/** Knows no task, so it says that it is done. */
const standIn = "format: skillproof/stand-in-policy@1\nmodels:\n  stand-in/idle:\n    tasks: []\n";
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "init-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function skillIn(...places: readonly string[]): Promise<void> {
  for (const place of places) {
    await mkdir(join(folder, place), { recursive: true });
    await writeFile(join(folder, place, "SKILL.md"), "---\nname: x\ndescription: y\n---\n# X\n");
  }
}

async function init(cwd: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = capturedIo(cwd);
  const code = await main(["init", ...args], io);
  return { code, out: io.stdout(), err: io.stderr() };
}

const written = (at = file) => loadConfig(join(folder, at));
const foldersOf = async (at = file) =>
  (await written(at)).skills.map((skill) => skill.folder.slice(folder.length + 1));

test("finds the skills, fills them in and says what to do next", async () => {
  await skillIn("skills/b", "skills/a", ".claude/skills/c", "skills/not yet");
  await rm(join(folder, "skills/not yet/SKILL.md"));
  await writeFile(join(folder, "skills/README.md"), "no folder");
  const { code, out, err } = await init(folder);
  expect([code, err]).toEqual([0, ""]);
  expect(await foldersOf()).toEqual(["skills/a", "skills/b", ".claude/skills/c"]);
  expect(out).toContain(
    "wrote skillproof.config.yaml for 3 skill(s): skills/a, skills/b, .claude/skills/c\n",
  );
  expect(out).toMatch(/^ {2}skillproof doctor +# /m);
  expect(out).toMatch(/^ {2}skillproof build skills\/a skills\/b .claude\/skills\/c +# /m);
  expect((await written()).evaluation.budgetUsd).toBe(20);
});

test("a file that is there is never replaced unless asked", async () => {
  await skillIn("skills/a");
  await writeFile(join(folder, file), "name: mine\n");
  const refused = await init(folder);
  expect([refused.code, refused.out]).toEqual([2, ""]);
  expect(refused.err).toContain("skillproof.config.yaml is there already. Give --force to replace it");
  expect(await readFile(join(folder, file), "utf8")).toBe("name: mine\n");
  expect((await init(folder, "--force")).code).toBe(0);
  expect((await written()).name).toBe("a");
});

test.each([
  ["a link to nothing", "nowhere.yaml"],
  ["a link to itself", file],
  ["a link to a file", "mine.yaml"],
])("%s is there already", async (_what, target) => {
  await skillIn("skills/a");
  await writeFile(join(folder, "mine.yaml"), "name: mine\n");
  await symlink(target, join(folder, file));
  const refused = await init(folder);
  expect([refused.code, refused.out]).toEqual([2, ""]);
  expect(refused.err).toContain("skillproof.config.yaml is there already. Give --force to replace it");
  expect(await readlink(join(folder, file))).toBe(target);
  expect((await init(folder, "--force")).code).toBe(0);
  expect((await written()).name).toBe("a");
  expect(await readFile(join(folder, "mine.yaml"), "utf8")).toBe("name: mine\n");
});

test.each([
  ["a folder", "folder"],
  ["a file below a file", "plain/below.yaml"],
])("a place that cannot be written is for the user to mend: %s", async (_what, place) => {
  await skillIn("skills/a");
  await mkdir(join(folder, "folder"));
  await writeFile(join(folder, "plain"), "");
  const { code, out, err } = await init(folder, "--config", place, "--force");
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(`error: ${place}: cannot be written (`);
  expect(err).toContain("Name another file with --config FILE.");
});

test("a namesake is left out, by name", async () => {
  await skillIn("skills/a");
  await mkdir(join(folder, ".claude/skills"), { recursive: true });
  await symlink("../../skills/a", join(folder, ".claude/skills/a"));
  const { code, out } = await init(folder);
  expect(code).toBe(0);
  expect(await foldersOf()).toEqual(["skills/a"]);
  expect(out).toContain("left out .claude/skills/a: another skill has its name");
});

test("never inside a skill: what lies there is given to agents", async () => {
  await skillIn("my skill");
  const skill = join(folder, "my skill");
  const { code, err } = await init(skill);
  expect(code).toBe(2);
  expect(err).toContain("would lie in the folder of the skill my skill");
  const [, command = ""] = /Put it beside the skill: skillproof init (.*)$/m.exec(err) ?? [];
  expect(command).toBe("--config '../my skill-campaign/skillproof.config.yaml'");
  // What it prints works.
  const [option = "", beside = ""] = command.split(/ (.*)/);
  expect((await init(skill, option, beside.slice(1, -1))).code).toBe(0);
  const config = await written("my skill-campaign/skillproof.config.yaml");
  expect(config.skills.map((one) => one.folder)).toEqual([skill]);
  expect([config.name, config.out]).toEqual(["my-skill", join(folder, "my skill-campaign/out")]);
});

test.each([
  ["none found", [], "no skill found: looked for SKILL.md here, in skills/* and in .claude/skills/*"],
  [
    "named ones without SKILL.md",
    ["--skill", "skills", "nowhere"],
    "--skill: no SKILL.md in skills, nowhere.",
  ],
])("bad input: %s", async (_what, args, words) => {
  await mkdir(join(folder, "skills"));
  const { code, err } = await init(folder, ...args);
  expect(code).toBe(2);
  expect(err).toContain(words);
  await expect(written()).rejects.toThrow("cannot be read");
});

test("odd names come through the file and the commands as they are", async () => {
  const odd = "skills/it's: #1\n- x\u001b[31m";
  await skillIn(odd);
  const { code, out } = await init(folder, "--skill", odd);
  expect(code).toBe(0);
  expect(await foldersOf()).toEqual([odd]);
  expect(out).not.toContain("\u001b");
});

test("the models are those of the file that ships", async () => {
  const shipped = await loadConfig(join(import.meta.dirname, "../..", file));
  expect(usualModels).toEqual({
    "evaluation.models": shipped.evaluation.models,
    "authoring.model": shipped.authoring.model,
    "judge.models": shipped.judge.models,
  });
});

test("build, plan and eval work from the file as it is, with stand-in models", async () => {
  const campaign = await sampleCampaign();
  await writeFile(join(campaign, "policy.yaml"), standIn);
  expect((await init(campaign, "--force")).code).toBe(0);
  const path = join(campaign, file);
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace("#standIn: policy.yaml", "standIn: policy.yaml"));
  const run = async (...args: string[]): Promise<string> => {
    const io = capturedIo(campaign);
    expect(await main(args, io), io.stderr()).toBe(0);
    return `${io.stdout()}${io.stderr()}`;
  };
  await run("build", join(import.meta.dirname, "../../skills/house-style"), "--until", "cluster");
  const chosen = ["--models", "stand-in/idle", "--trials", "1"];
  expect(await run("plan", ...chosen, "--repetitions", "5")).toContain("plan frozen: ");
  expect(await run("eval", ...chosen)).toContain("(2 of 2 planned trials graded)");
  expect(await campaignIn(campaign)).toMatch(/\/sample-[0-9a-f]+$/);
  await rm(campaign, { recursive: true });
});

test.each([
  ["chunks.json", true],
  ["answer/FAILED.md", true],
  ["answer/gate.json", false],
])("with %s beside it, a skill is still to be built: %s", async (there, unbuilt) => {
  await skillIn("skills/a");
  const path = join(folder, "benchmarks/a", there);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "{}");
  const { out } = await init(folder);
  expect(out.includes("skillproof build skills/a")).toBe(unbuilt);
});
