import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ArmRecord, armRecordSchema } from "../artefacts/arm-record.ts";
import type { Report } from "../artefacts/report.ts";
import { transcriptLineSchema } from "../artefacts/transcript.ts";
import { readDelivery, subjectOf } from "../campaign-arms.ts";
import type { RawConfig } from "../config.ts";
import { activationOf } from "../evaluate/activation.ts";
import { baseSystemPrompt } from "../evaluate/prompts.ts";
import { deliver } from "../evaluate/treatments/deliver.ts";
import { CampaignStore } from "../store/campaign.ts";
import { capturedIo } from "../testing/captured-io.ts";
import {
  campaignIn,
  chatsIn,
  evalIn,
  filesIn,
  planIn,
  reportOf,
  writeConfig,
} from "../testing/eval-command.ts";
import { type FakeModel, type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { marker, obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";
import { main } from "./main.ts";

const model = "acme/coder";
const sentence = "Answers are kept in files of their own, one for each question that somebody asked. ";
const skillOf = (answer: string): string => `---
name: sample
description: How answers are written here.
---

# Sample

${sentence.repeat(6)}

## Answers

${answer} See scripts/answer.sh.

## Reviews

${sentence.repeat(3)}
`;
const description = "How answers are written here.";
const today = skillOf(`${marker}: the answer is always the word right, alone on its line.`);
const before = skillOf(`${marker}: write right.`);

let server: RunningFake;
const folders: string[] = [];
beforeAll(async () => {
  server = await startFake({ scenario: { models: { [model]: obedientModel() } } });
});
afterAll(async () => {
  await server.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

type Evaluation = NonNullable<RawConfig["evaluation"]>;

function configOf(over: Evaluation): RawConfig {
  return {
    ...{ name: "sample", skills: ["skills/sample"], models: { baseUrl: server.baseURL } },
    evaluation: { models: [model], trials: 1, ...over },
  };
}

/** A campaign whose skill is kept in git: `v1` is an earlier one, `now` is what lies there. */
async function campaignWith(over: Evaluation): Promise<string> {
  const folder = await sampleCampaign();
  folders.push(folder);
  const skill = join(folder, "skills/sample/SKILL.md");
  for (const name of ["careful", "second"]) {
    await mkdir(join(folder, "packs", name), { recursive: true });
    await writeFile(join(folder, "packs", name, "SKILL.md"), `---\nname: ${name}\n---\n\n# Be ${name}\n`);
  }
  await mkdir(join(folder, "packs/none"));
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: folder });
  git("init", "-q");
  for (const [tag, text] of [
    ["v1", before],
    ["now", today],
  ] as const) {
    await writeFile(skill, text);
    git("add", "skills");
    git("-c", "commit.gpgsign=false", "commit", "-qm", tag);
    git("tag", tag);
  }
  await writeConfig(folder, configOf(over));
  return folder;
}

async function recordsIn(folder: string): Promise<readonly ArmRecord[]> {
  const shelf = join(await campaignIn(folder), "arms/sample");
  const files = (await readdir(shelf)).sort();
  return Promise.all(
    files.map(async (file) => armRecordSchema.parse(JSON.parse(await readFile(join(shelf, file), "utf8")))),
  );
}

/** Bodies of first requests as they were sent, newest campaign only. */
function firstRequests(from: number): readonly string[] {
  const log = chatsIn(server.fake.log).slice(from);
  return log.filter(({ turn }) => turn === 1).map(({ body }) => JSON.stringify(body));
}

function passedIn({ cells: [cell] }: Report): Readonly<Record<string, number | undefined>> {
  return Object.fromEntries(Object.entries(cell?.arms ?? {}).map(([arm, tally]) => [arm, tally?.passed]));
}

const every = [
  ...["without_skill", "with_skill", "placebo", "without_skill@again"],
  { pack: ["packs/second", "packs/careful"], name: "both" },
  { version: "v1" },
  { ablation: "Answers" },
];

test("a campaign of every kind of arm: each gets its own, proven, and nothing is done twice", async () => {
  const folder = await campaignWith({ arms: every });
  const from = chatsIn(server.fake.log).length;
  const evaluated = await evalIn(folder);
  expect(evaluated.code, evaluated.stderr).toBe(0);
  expect(passedIn(reportOf(evaluated))).toEqual({
    ...{ without_skill: 0, with_skill: 1, placebo: 0, "without_skill@again": 0 },
    ...{ "pack-both": 0, "version-v1": 1, "ablation-answers": 0 },
  });

  const { inputs, trials } = await planIn(folder);
  const [{ arms } = { arms: [] }] = inputs.skills;
  expect(arms.map(({ id }) => id)).toEqual([
    ...["without_skill", "with_skill", "placebo", "without_skill@again"],
    ...["pack-both", "version-v1", "ablation-answers"],
  ]);
  // No path of this machine, and no two arms alike but those that are to be.
  expect(arms[4]?.treatment).toEqual({ kind: "pack", folders: ["second", "careful"] });
  expect(new Set(arms.map(({ delivered }) => delivered)).size).toBe(arms.length - 1);
  expect(new Set(trials.map(({ key }) => key)).size).toBe(arms.length);

  const records = await recordsIn(folder);
  expect(records.map(({ arm }) => arm)).toEqual(arms.map(({ id }) => id).sort());
  for (const { arm, delivered } of records) {
    expect(delivered, arm).toBe(arms.find(({ id }) => id === arm)?.delivered);
  }
  const evidence = (arm: string) => records.find((record) => record.arm === arm)?.evidence;
  const commit = execFileSync("git", ["rev-parse", "v1"], { cwd: folder, encoding: "utf8" }).trim();
  expect(evidence("version-v1")).toEqual({ kind: "version", ref: "v1", commit });
  expect(evidence("placebo")).toMatchObject({ record: { skill: "sample", passed: true, shared: [] } });
  expect(evidence("ablation-answers")).toMatchObject({ ablation: { cuts: [{ title: "Answers" }] } });

  // The first requests of a block differ by what the arm adds to the system prompt and by nothing else.
  const sent = [...firstRequests(from)];
  expect(sent).toHaveLength(arms.length);
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  const stripped = records.map(({ arm, prompt }) => {
    const at = sent.findIndex((body) => body.includes(`${inJson(baseSystemPrompt + (prompt ?? ""))}"`));
    expect(at, arm).not.toBe(-1);
    const [body = ""] = sent.splice(at, 1);
    return prompt === null ? body : body.replace(inJson(prompt), "");
  });
  expect(new Set(stripped).size).toBe(1);

  const canaries = await new CampaignStore(await campaignIn(folder)).readCanaries();
  expect(canaries.map(({ arm }) => arm).sort()).toEqual(arms.map(({ id }) => id).sort());
  const prompted = (arm: string) =>
    canaries.find((canary) => canary.arm === arm)?.probes.find(({ probe }) => probe === "skill_in_prompt")
      ?.answered;
  for (const { arm, passed } of canaries) expect(passed, arm).toBe(true);
  expect(prompted("without_skill@again")).toBe("none");
  expect(prompted("with_skill")).toBe("SKILL.md of sample (under test)");
  expect(prompted("version-v1")).toBe("SKILL.md of sample");
  expect(prompted("pack-both")).toBe("SKILL.md of careful, SKILL.md of second");

  const io = capturedIo(folder);
  expect(await main(["verify", await campaignIn(folder)], io), io.stdout() + io.stderr()).toBe(0);

  const asked = chatsIn(server.fake.log).length;
  expect((await evalIn(folder)).report).toEqual(evaluated.report);
  expect(chatsIn(server.fake.log)).toHaveLength(asked);
  expect(await new CampaignStore(await campaignIn(folder)).readCanaries()).toEqual(canaries);
});

test("every section is an arm of its own, and a version that is today's skill is called so", async () => {
  const arms = ["without_skill", { ablation: "every-section" }, { version: "now" }];
  const folder = await campaignWith({ arms });
  const evaluated = await evalIn(folder);
  expect(evaluated.code, evaluated.stderr).toBe(0);
  expect(passedIn(reportOf(evaluated))).toEqual({
    ...{ without_skill: 0, "ablation-answers": 0, "ablation-reviews": 1, "version-now": 1 },
  });
  expect(evaluated.stderr).toContain(
    "sample: the arm version-now delivers the very same as the skill as it is today.",
  );
});

test("discover tells names and descriptions, and reading a skill's file is what activates it", async () => {
  const arms = ["without_skill", "with_skill", { pack: ["skills/sample", "packs/careful"] }];
  const folder = await campaignWith({ arms, delivery: "discover" });
  const path = "/skill/sample/SKILL.md";
  const answer = [{ name: "write_file", args: { path: "answer.txt", content: "right\n" } }];
  const reader: FakeModel = {
    rules: [
      { if: { system_has: path }, do: { agent: [[{ name: "read_file", args: { path } }], answer, "Done."] } },
      { do: { agent: ["Done."] } },
    ],
  };
  server.fake.load({ models: { [model]: reader } });
  const from = chatsIn(server.fake.log).length;
  const evaluated = await evalIn(folder);
  expect(evaluated.code, evaluated.stderr).toBe(0);
  expect(passedIn(reportOf(evaluated))).toEqual({
    ...{ without_skill: 0, with_skill: 1, "pack-sample-careful": 1 },
  });
  const sent = firstRequests(from);
  expect(sent).toHaveLength(arms.length);
  expect(sent.filter((body) => body.includes(marker))).toEqual([]);
  expect(sent.filter((body) => body.includes(`- sample (${path}): ${description}`))).toHaveLength(2);
  expect(sent.filter((body) => body.includes("- careful (/skill/careful/SKILL.md): "))).toHaveLength(1);
  const { skills } = deliver([subjectOf(await readDelivery(join(folder, "skills/sample")))], "discover");
  for (const [arm, turn] of [
    ["with_skill", 1],
    ["without_skill", null],
  ] as const) {
    const [file = ""] = await filesIn(folder, join(arm, "1", "transcript.jsonl"));
    const lines = (await readFile(join(await campaignIn(folder), file), "utf8")).trim().split("\n");
    const transcript = lines.map((line) => transcriptLineSchema.parse(JSON.parse(line)));
    expect(activationOf(transcript, skills)[0]?.instructionsTurn, arm).toBe(turn);
  }
  server.fake.load({ models: { [model]: obedientModel() } });
});

test.each<[string, Evaluation, readonly string[]]>([
  [
    "one arm",
    { arms: ["with_skill"] },
    ["1 problem(s)", "evaluation.arms: a campaign compares at least two arms"],
  ],
  [
    "what the file itself shows",
    { arms: ["with_skill", "with_skill", { pack: [] }] },
    [
      "2 problem(s)",
      "evaluation.arms.1: the same arm as number 1",
      "evaluation.arms.2.pack: a pack needs at least one skill folder",
    ],
  ],
  [
    "what only the skill shows",
    {
      arms: [
        ...["without_skill", { pack: "packs/none" }, { pack: "packs/gone" }, { ablation: "Anwsers" }],
        ...[{ version: "v9" }, { ablation: "every-cluster" }],
      ],
    },
    [
      "evaluation.arms: 5 problem(s)",
      "pack-none: ",
      "no SKILL.md in it. Name a skill's folder.",
      "pack-gone: ",
      'ablation-anwsers: sample: no heading and no cluster is called "Anwsers". Did you mean "Answers"?',
      'git knows no commit called "v9"',
      "ablation: sample: its clusters are not known. Run: skillproof build --until cluster",
    ],
  ],
])("bad input, %s: all is said at once and nothing is written", async (_, evaluation, words) => {
  const folder = await campaignWith(evaluation);
  const asked = chatsIn(server.fake.log).length;
  const { code, stderr } = await evalIn(folder);
  expect(code).toBe(2);
  for (const expected of words) expect(stderr).toContain(expected);
  expect(await readdir(folder)).not.toContain("out");
  expect(chatsIn(server.fake.log)).toHaveLength(asked);
});

test("arms that come to one, once the skill is read, are refused", async () => {
  const folder = await campaignWith({ arms: [{ ablation: "Answers" }, { ablation: "every-section" }] });
  await writeFile(join(folder, "skills/sample/SKILL.md"), `${sentence}\n\n# Answers\n\n${marker}\n`);
  const { code, stderr } = await evalIn(folder);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("sample: all its arms come to one, ablation-answers."),
  ]);
});
