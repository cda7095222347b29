import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type RunningFake, startFake } from "../../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../../testing/sample-campaign.ts";
import { inTmux, type Tmux } from "../../testing/tmux.ts";

const command = join(import.meta.dirname, "../../../dist/cli/main.js");
const trials = 3;
const planned = 2 * trials;
const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], LC_ALL: "C.UTF-8" };
const evaluates = `${process.execPath} ${command} eval --yes`;

let server: RunningFake;
let folder: string;
let terminal: Tmux | null = null;

beforeAll(async () => {
  expect(existsSync(command), "npm run build comes first").toBe(true);
  const rules = obedientModel().rules.map((rule) => ({ ...rule, do: { ...rule.do, delay_ms: 700 } }));
  const endpoints = [{ provider: "Alpha", tag: "alpha/fp8", quantization: "fp8" }];
  server = await startFake({ scenario: { models: { "acme/coder": { rules, endpoints } } } });
  folder = await sampleCampaign({
    models: { baseUrl: server.baseURL },
    evaluation: { models: ["acme/coder"], trials, concurrency: 2, budgetUsd: 5 },
  });
});
afterEach(async () => {
  await terminal?.end();
  terminal = null;
  await rm(join(folder, "out"), { recursive: true, force: true });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const begin = async (columns: number): Promise<Tmux> =>
  (terminal = await inTmux(evaluates, { columns, cwd: folder, env }));

const ended = (text: string): boolean => /^ENDED \d+$/m.test(text);
const pictures = (text: string): number => text.match(/^skillproof sample$/gm)?.length ?? 0;
const underWay = (text: string): boolean => /^trials +[━─]+ +[1-5] of 6 done/m.test(text);

/** As a shell wants to find its terminal. */
async function isAtEase(tmux: Tmux): Promise<boolean> {
  const [cursor, wraps] = [await tmux.tell("cursor_flag"), await tmux.tell("wrap_flag")];
  return cursor === "1" && wraps === "1";
}

describe.each([80, 140])("at %d columns", (columns) => {
  test("one picture stays in its place until the report stands under it", async () => {
    const tmux = await begin(columns);
    const midway = await tmux.until(underWay, "a picture of trials under way");
    expect(pictures(midway)).toBe(1);
    expect(midway).toMatch(/^✓ isolation {3}▸ trials [1-5]\/6 {3}▸ verdicts [0-5]\/6 {3}· report$/m);
    expect(midway).toMatch(/^spent +.* of \$5\.00/m);
    expect(midway).toMatch(/^model +acme\/coder at alpha\/fp8 +\d of \d requests$/m);
    expect(midway).toMatch(/^waits +\S/m);
    const text = await tmux.until(ended, "the end");
    expect(text).toContain("ENDED 0");
    expect(pictures(text)).toBe(1);
    expect(text).toContain(
      `✓ isolation   ✓ trials ${planned}/${planned}   ✓ verdicts ${planned}/${planned}   ✓ report`,
    );
    expect(text).toMatch(/^passed +with_skill 3 of 3 +without_skill 0 of 3$/m);
    expect(text.indexOf("Uplift +100.0 points")).toBeGreaterThan(text.indexOf("passed   with_skill"));
    expect(text).not.toMatch(/\[\??\d*[A-Za-z]|\u001b/);
    expect(await isAtEase(tmux)).toBe(true);
  });
});

test("a terminal made narrower and wider in between has one picture at the end", async () => {
  const tmux = await begin(140);
  await tmux.until(underWay, "a picture of trials under way");
  await tmux.resize(60);
  await tmux.until((text) => /^trials .*[2-6] of 6 done/m.test(text), "a picture at 60 columns");
  await tmux.resize(100);
  const text = await tmux.until(ended, "the end");
  expect(pictures(text)).toBe(1);
  expect(text.match(/^trials /gm)).toHaveLength(1);
});

test("an interrupt leaves the last picture, says what happens, and hands back the terminal", async () => {
  const tmux = await begin(80);
  await tmux.until(underWay, "a picture of trials under way");
  await tmux.type("C-c");
  const text = await tmux.until(ended, "the end");
  expect(text).toContain("ENDED 130");
  expect(text).toContain("stopping: no further trial is begun");
  expect(text).toContain("stopped before the end");
  expect(pictures(text)).toBe(1);
  expect(text.indexOf("interrupted; what was finished is kept")).toBeGreaterThan(
    text.indexOf("skillproof sample"),
  );
  expect(await isAtEase(tmux)).toBe(true);
});

test("a process that is killed leaves a cursor and long lines that wrap", async () => {
  const tmux = await begin(80);
  await tmux.until(underWay, "a picture of trials under way");
  // The shell is the pane's process, the command its child.
  const shell = await tmux.tell("pane_pid");
  const [child] = (await readFile(`/proc/${shell}/task/${shell}/children`, "utf8")).split(" ");
  process.kill(Number(child), "SIGKILL");
  await tmux.until((text) => text.includes("ENDED 137"), "the end");
  expect(await isAtEase(tmux)).toBe(true);
});

test("without a terminal there are plain lines, and no escape code", async () => {
  const { stderr, exitCode } = await execa(process.execPath, [command, "eval", "--yes"], {
    ...{ cwd: folder, env, extendEnv: false, stdin: "ignore" },
  });
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain("\u001b");
  expect(stderr.match(/^trial {4}sample\/answer\/acme\/coder\/with(?:out)?_skill\/\d: /gm)).toHaveLength(
    planned,
  );
  expect(stderr).toContain(`trials   ${planned} planned, 0 already finished`);
});
