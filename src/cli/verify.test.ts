import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CheckName, Verification } from "../artefacts/verification.ts";
import { UserError } from "../errors.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { campaignIn, evalIn } from "../testing/eval-command.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";
import { addVerify } from "./verify.ts";

/** Longer than the test: an answer that does not come until the campaign is stopped. */
const never = 3_600_000;
const endpoints = [{ provider: "Alpha", tag: "alpha/fp8", quantization: "fp8" }];
let server: RunningFake;
let folder: string;

beforeAll(async () => {
  server = await startFake();
  folder = await sampleCampaign({
    models: { baseUrl: server.baseURL },
    evaluation: { models: ["acme/coder"], trials: 1, concurrency: 2 },
  });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Answers at once, but for trials with the skill when they are to hang. */
function answer(hangs: boolean): void {
  const rules = obedientModel().rules.map((rule) =>
    hangs && rule.if !== undefined ? { ...rule, do: { ...rule.do, delay_ms: never } } : rule,
  );
  server.fake.load({ models: { "acme/coder": { rules, endpoints } } });
}

async function verify(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string }> {
  const io = capturedIo(folder);
  const program = new Command("skillproof")
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  let code = -1;
  addVerify(program, io, (ended) => {
    code = ended;
  });
  await program.parseAsync(["verify", ...args], { from: "user" });
  return { code, stdout: io.stdout() };
}

async function verified(...args: readonly string[]): Promise<Verification & { readonly code: number }> {
  const { code, stdout } = await verify("--json", ...args);
  return { code, ...(JSON.parse(stdout) as Verification) };
}

function notCompared({ checks }: Verification): CheckName[] {
  return checks.filter(({ outcome }) => outcome === "not_compared").map(({ name }) => name);
}

async function evidence(): Promise<string> {
  try {
    return await readFile(join(await campaignIn(folder), "evidence.jsonl"), "utf8");
  } catch {
    return ""; // nothing was begun yet
  }
}

test("a running campaign holds as far as it is done, and wholly when it has been stopped and gone on", async () => {
  answer(true);
  const stop = new AbortController();
  const running = evalIn(folder, { over: { signal: stop.signal } });
  await expect.poll(evidence, { timeout: 60_000 }).toContain('"kind":"verdict"');
  const campaign = await campaignIn(folder);
  const half = await verified(campaign);
  stop.abort();
  const stopped = await running;
  expect(stopped.code, stopped.stderr).toBe(130);
  expect(half.findings).toEqual([]);
  expect([half.code, half.passed]).toEqual([0, true]);
  const open = [
    "published-head",
    "settled",
    "report-head",
    "report-numbers",
    "conclusions-follow",
    "report-bytes",
  ];
  expect(notCompared(half)).toEqual(open);

  answer(false);
  const ended = await evalIn(folder);
  expect(ended.code, ended.stderr).toBe(0);
  const whole = await verified(campaign);
  expect(whole.findings).toEqual([]);
  expect(notCompared(whole)).toEqual(["published-head"]);
  expect((await verified("--head", whole.head ?? "", "--strict", campaign)).code).toBe(0);
  expect((await verified("--head", half.head ?? "", campaign)).findings).toEqual([
    expect.objectContaining({ check: "published-head", place: "evidence.jsonl", expected: half.head }),
  ]);
});

test("--strict refuses what is not compared, and says so", async () => {
  const campaign = relative(folder, await campaignIn(folder));
  const plain = await verify(campaign);
  expect(plain.code).toBe(0);
  const { checks } = await verified(campaign);
  expect(plain.stdout).toContain(
    `It holds: no finding, 1 of ${checks.length} checks not or not wholly compared.`,
  );
  expect(plain.stdout).toMatch(/^head [0-9a-f]{64}$/m);
  const strict = await verify("--strict", campaign);
  expect(strict.code).toBe(1);
  expect(strict.stdout).toContain("which --strict refuses");
  expect(await verified("--strict", campaign)).toMatchObject({ code: 1, passed: false, findings: [] });
});

test("each finding is a line: where, what was expected, what came", async () => {
  const campaign = await campaignIn(folder);
  const file = join(campaign, "report/report.json");
  const before = await readFile(file, "utf8");
  await writeFile(
    file,
    before.replace(/"graded": 2,?/, (text) => text.replace("2", "3")),
  );
  const { code, stdout } = await verify(campaign);
  await writeFile(file, before);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAILED +report-numbers /m);
  expect(stdout).toContain("    report/report.json: trials · graded: expected 2, came 3\n");
  expect(stdout).toContain("It does not hold: 2 finding(s)");
});

test("the name of a file is no order to the terminal, and no line of its own", async () => {
  const campaign = await campaignIn(folder);
  const foreign = join(campaign, "canaries", "\u001b[31mred\u202e\npassed        records");
  await mkdir(join(foreign, "arm"), { recursive: true });
  await writeFile(join(foreign, "arm/1.json"), "{}");
  const { code, stdout } = await verify(campaign);
  await rm(foreign, { recursive: true });
  expect(code).toBe(1);
  expect(stdout).toContain("    canaries/ [31mred  passed        records/arm/1.json: expected ");
  expect(/(?!\n)[\p{Cc}\p{Cf}]/u.exec(stdout)).toBeNull();
});

test("without the YAML skills and benchmarks are looked for where they usually are", async () => {
  const file = join(folder, "skillproof.config.yaml");
  const config = await readFile(file, "utf8");
  await rm(file);
  const campaign = await campaignIn(folder);
  const { checks } = await verified(campaign);
  await writeFile(file, config);
  expect(checks.find(({ name }) => name === "benchmarks-unchanged")).toMatchObject({
    outcome: "passed",
    words: "1 of 1 benchmark(s) against the plan",
  });
});

test("what is no campaign of this version is for the user to mend", async () => {
  const empty = join(folder, "empty");
  const other = join(folder, "other");
  await mkdir(empty);
  await mkdir(other);
  await writeFile(join(other, "plan.json"), '{"format":"skillproof/plan@1"}');
  await expect(verify(empty)).rejects.toThrow(/no campaign there \(no plan\.json\)/);
  await expect(verify(other)).rejects.toThrow(/plan\.json: not an artefact this version reads \(format/);
  await expect(verify(other)).rejects.toBeInstanceOf(UserError);
  await expect(verify("--head", "abc", await campaignIn(folder))).rejects.toThrow(
    "expected the 64 hexadecimal digits",
  );
});
