import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CampaignComparison, campaignComparisonSchema } from "../artefacts/comparison.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { marker, obedientModel, sampleCampaign, sampleSkill } from "../testing/sample-campaign.ts";
import { main } from "./main.ts";

const models = ["acme/coder", "acme/coder-mini"];
let server: RunningFake;
let folder: string;
let base = "";
let head = "";
const ended: { code: number; stderr: string }[] = [];

/** Two campaigns: the second on the skill without the sentence that helped. */
beforeAll(async () => {
  const scenario = { models: Object.fromEntries(models.map((id) => [id, obedientModel()])) };
  server = await startFake({ scenario });
  folder = await sampleCampaign({ models: { baseUrl: server.baseURL }, evaluation: { trials: 3 } });
  const evaluate = async (failOn: string): Promise<string> => {
    const before = await campaigns();
    const io = capturedIo(folder);
    const code = await main(["eval", "--yes", "--models", models.join(","), "--fail-on", failOn], io);
    ended.push({ code, stderr: io.stderr() });
    return (await campaigns()).find((name) => !before.includes(name)) ?? "none";
  };
  base = await evaluate("hurts,rejected,cannot_tell");
  await writeFile(join(folder, "skills/sample/SKILL.md"), sampleSkill.replace(marker, "NOTHING"));
  head = await evaluate("hurts,cannot_tell");
}, 240_000);
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

async function campaigns(): Promise<readonly string[]> {
  await mkdir(join(folder, "out"), { recursive: true });
  return (await readdir(join(folder, "out"))).filter((name) => name.startsWith("sample-"));
}

async function compare(...args: readonly string[]) {
  const io = capturedIo(folder);
  return { code: await main(["compare", ...args], io), out: io.stdout(), err: io.stderr() };
}

async function compared(...args: readonly string[]): Promise<CampaignComparison> {
  return campaignComparisonSchema.parse(JSON.parse((await compare(...args, "--json")).out));
}

/** The campaign's folder again below out/, changed. */
async function copyOf(
  campaign: string,
  name: string,
  change: (to: string) => Promise<unknown> = () => Promise.resolve(),
): Promise<string> {
  const to = join(folder, "out", name);
  await rm(to, { recursive: true, force: true });
  await cp(join(folder, "out", campaign), to, { recursive: true });
  await change(to);
  return name;
}

async function replaceIn(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, "utf8");
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}

test("eval --fail-on: what holds decides the exit code, and what cannot be told is 5", () => {
  expect(ended.map(({ code }) => code)).toEqual([0, 5]);
  expect(ended[1]?.stderr).toMatch(/^cannot_tell sample: /m);
});

test("report --fail-on says the same of what is on disk", async () => {
  const io = capturedIo(folder);
  expect(await main(["report", head, "--fail-on", "cannot_tell"], io)).toBe(5);
  expect(await main(["report", base, "--fail-on", "hurts,rejected,cannot_tell"], io)).toBe(0);
});

test("a planted regression ends with 1 and is named, with its figures and denominators", async () => {
  const { code, out, err } = await compare(base, head, "--fail-on", "hurts,regression");
  expect(code).toBe(1);
  expect(err).toMatch(
    /^regression {2}sample: Pass rate −100\.0 points over 2 cells \(A passed 6 of 6 trials, B 0 of 6;/,
  );
  expect(out).toMatch(/^<!-- skillproof-compare:sample -->\n/);
  expect(out).toContain("Of 1 skill compared: regression: sample.");
  expect(out).toContain("| sample | all models | regression | +100.0 | 0.0 | −100.0");
  expect(out).toContain("2 of 2 cells");
});

test("the other way round it is an improvement, and nothing that was asked holds", async () => {
  const { code, out, err } = await compare(head, base, "--fail-on", "hurts,regression,rejected,cannot_tell");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("Of 1 skill compared: improvement: sample.");
});

test("without --fail-on a regression is said and the command has done its work", async () => {
  expect((await compare(base, head)).code).toBe(0);
});

test("a campaign kept without its trials compares by its report, to the same bytes", async () => {
  const kept = await copyOf(base, "kept", async (to) => {
    await rm(join(to, "trials"), { recursive: true });
    await rm(join(to, "ledger.jsonl"));
  });
  expect(await compare(kept, head)).toEqual(await compare(base, head));
});

test("two arms of one campaign", async () => {
  const { rows, sharedControl } = await compared(base, "--arms", "without_skill,with_skill");
  expect(sharedControl).toBe(true);
  expect(rows[0]).toMatchObject({ level: "skill", verdict: { kind: "improvement" }, uplift: { a: 0, b: 1 } });
});

test("a copy of the same campaign is an A/A comparison and says so", async () => {
  const { sameInputs, warnings, rows } = await compared(base, await copyOf(base, "again"));
  expect(sameInputs).toBe(true);
  expect(warnings[0]).toContain("A/A: both have the same inputs");
  expect(rows[0]?.rate.change.estimate).toBe(0);
});

test("a campaign that still runs is compared as far as it is, and says how far", async () => {
  const running = await copyOf(base, "running", (to) =>
    rm(join(to, "trials/sample/answer", encodeURIComponent("acme/coder"), "with_skill/3"), {
      recursive: true,
    }),
  );
  const { warnings, rows } = await compared(running, head);
  expect(warnings).toContainEqual(
    "A is not finished: 11 of 12 planned trials; its figures can still change.",
  );
  expect(rows[0]?.arm.a).toEqual({ passed: 5, graded: 5, planned: 6 });
});

test.each<[string, (to: string) => Promise<unknown>, RegExp]>([
  [
    "a probe",
    (to) => replaceIn(join(to, "plan.json"), '"probe": null', '"probe": {"ceiling":"1","floor":"0"}'),
    /a probe's/,
  ],
  [
    "a plan of another version",
    (to) => replaceIn(join(to, "plan.json"), "skillproof/plan@", "skillproof/plan@0"),
    /plan\.json: not an artefact this version reads/,
  ],
  [
    "a report of another version",
    async (to) => {
      await rm(join(to, "trials"), { recursive: true });
      await replaceIn(join(to, "report/report.json"), "skillproof/report@", "skillproof/report@0");
    },
    /report\.json: not an artefact this version reads .*This version reads skillproof\/report@/,
  ],
  [
    "a report of other inputs",
    async (to) => {
      await rm(join(to, "trials"), { recursive: true });
      await replaceIn(join(to, "report/report.json"), '"inputsHash": "', '"inputsHash": "0');
    },
    /is of other inputs \(0/,
  ],
  [
    "neither trials nor report",
    async (to) => {
      await rm(join(to, "trials"), { recursive: true });
      await rm(join(to, "report"), { recursive: true });
    },
    /nothing to compare yet\. Finish it: skillproof eval/,
  ],
  [
    "no cell in common",
    (to) => replaceIn(join(to, "plan.json"), '"bundleHash": "', '"bundleHash": "0'),
    /no cell in common[^]*sample\/answer\/acme\/coder: the benchmark is another one/,
  ],
])("what cannot be compared at all is refused: %s", async (_name, change, message) => {
  const changed = await copyOf(base, "changed", change);
  const { code, out, err } = await compare(changed, head);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(message);
});

test("names in a folder that came from elsewhere give no orders to the terminal", async () => {
  const foreign = await copyOf(base, "foreign", async (to) => {
    await rm(join(to, "trials"), { recursive: true });
    const report = join(to, "report/report.json");
    await replaceIn(report, '"campaign": "', '"campaign": "\\u001b[31m');
    await replaceIn(join(to, "plan.json"), '"bundleHash": "', '"bundleHash": "0');
  });
  const { code, err } = await compare(foreign, head);
  expect(code).toBe(2);
  expect(err).toContain("?[31msample-");
  expect(err).not.toContain("\u001b");
});

test.each<[string, readonly string[], RegExp]>([
  ["one campaign and no arms", ["BASE"], /expected two campaigns, or one with two arms/],
  ["one campaign and one arm", ["BASE", "--arms", "with_skill"], /came one campaign and --arms with_skill/],
  ["three arms", ["BASE", "HEAD", "--arms", "a,b,c"], /came two campaigns and --arms a,b,c/],
  ["an arm against itself", ["BASE", "BASE"], /with_skill against itself/],
  [
    "an unknown arm",
    ["BASE", "--arms", "with_skil,without_skill"],
    /no arm with_skil; it has .* Did you mean with_skill\?/,
  ],
  ["an unknown word", ["BASE", "HEAD", "--fail-on", "regresion"], /Did you mean regression\?/],
  ["no campaign", ["nowhere", "HEAD"], /nowhere: no campaign there/],
])("bad input: %s", async (_name, args, message) => {
  const names: Readonly<Record<string, string>> = { BASE: base, HEAD: head };
  const { code, out, err } = await compare(...args.map((arg) => names[arg] ?? arg));
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(message);
});

test("eval refuses an unknown word before anything is begun", async () => {
  const before = server.fake.log.length;
  const io = capturedIo(folder);
  expect(await main(["eval", "--yes", "--models", models.join(","), "--fail-on", "regression"], io)).toBe(2);
  expect(io.stderr()).toContain("Say some of hurts, rejected, cannot_tell");
  expect(server.fake.log).toHaveLength(before);
});

test("help says what a regression is, and which exit codes there are", async () => {
  const help = (await compare("--help")).out;
  expect(help).toMatch(/regression {3}a skill, or a skill × model, passes less often in B than in A/);
  const io = capturedIo(folder);
  await main(["--help"], io);
  expect(io.stdout()).toMatch(/^ {2}5 {4}it cannot be told, where a verdict was required/m);
});
