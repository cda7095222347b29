import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PlannedTrial, type Trial, trialName } from "../artefacts/trial.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { sha256 } from "../hash.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { endedTrial, verdictOf } from "../testing/trials.ts";
import { CampaignStore } from "./campaign.ts";
import type { FoundTrial } from "./find-trial.ts";
import { goneWords, setAsideWords } from "./set-aside.ts";

const trials = planTrials(sampleInputs(), "recipe").slice(0, 2);
const [planned, other] = trials as [PlannedTrial, PlannedTrial];
const tar = "a workspace of some bytes, packed as a tar would be";
let folder: string;
let store: CampaignStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "torn-trials-"));
  store = new CampaignStore(folder);
});
afterEach(() => rm(folder, { recursive: true }));

async function* bytes(text: string): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

function finishedTrial(trial: PlannedTrial): Trial {
  const snapshot = { sha256: sha256(tar), bytes: tar.length };
  return { ...endedTrial(trial), outcome: { kind: "ended", stop: "finished", snapshot } };
}

async function finish(trial: PlannedTrial): Promise<void> {
  const open = await store.openTrial(trial);
  open.record({ kind: "note", text: "worked" });
  await open.spool(bytes(tar));
  await open.finish(finishedTrial(trial));
  await store.writeVerdict(trial, verdictOf("passed"), "log");
}

const place = (name = ""): string => join(folder, "trials", trialName(planned), name);

async function survey(of: CampaignStore = store): Promise<FoundTrial[]> {
  const found = [];
  for await (const one of of.survey(trials)) found.push(one);
  return found;
}

const edited = async (name: string, edit: (text: string) => string): Promise<void> =>
  writeFile(place(name), edit(await readFile(place(name), "utf8")));

type Tear = readonly [kind: string, tear: () => Promise<unknown>, reason: RegExp];

const tornTrials: readonly Tear[] = [
  ["without trial.json", () => rm(place("trial.json")), /^trial\.json is missing$/],
  ["with an empty trial.json", () => truncate(place("trial.json")), /^trial\.json is not JSON/],
  [
    "with half a trial.json",
    () => edited("trial.json", (text) => text.slice(0, text.length / 2)),
    /is not JSON/,
  ],
  [
    "with a binary trial.json",
    () => writeFile(place("trial.json"), Buffer.from([0xff, 0, 0xfe])),
    /is not JSON/,
  ],
  ["with a trial.json of another shape", () => writeFile(place("trial.json"), "[]"), /has another shape/],
  ["with null for a trial", () => writeFile(place("trial.json"), "null"), /has another shape/],
  [
    "with a member of another type",
    () => edited("trial.json", (text) => text.replace('"modelCalls": 1', '"modelCalls": "1"')),
    /^trial\.json has another shape \(usage\.modelCalls: /,
  ],
  [
    "with a folder for trial.json",
    () => rm(place("trial.json")).then(() => mkdir(place("trial.json"))),
    /^trial\.json is no file$/,
  ],
  [
    "with another trial",
    () => edited("trial.json", (text) => text.replace(planned.key, other.key)),
    /holds another trial \(key [0-9a-f]{12}\) than the plan/,
  ],
  ["without its transcript", () => rm(place("transcript.jsonl")), /^transcript\.jsonl is missing$/],
  ["with an empty transcript", () => truncate(place("transcript.jsonl")), /in the middle of a line$/],
  [
    "with a torn transcript",
    () => appendFile(place("transcript.jsonl"), '{"kind":"no'),
    /in the middle of a line$/,
  ],
  [
    "with a transcript that ends in zeros",
    () => appendFile(place("transcript.jsonl"), Buffer.alloc(512)),
    /in the middle of a line$/,
  ],
  ["without its workspace", () => rm(place("workspace.tar.gz")), /^workspace\.tar\.gz is missing$/],
  ["with an empty workspace", () => truncate(place("workspace.tar.gz")), /less than one byte/],
  [
    "with a workspace that is cut off",
    async () => truncate(place("workspace.tar.gz"), (await stat(place("workspace.tar.gz"))).size - 1),
    /or is cut off$/,
  ],
  [
    "with a workspace of another size",
    () => writeFile(place("workspace.tar.gz"), gzipSync(`${tar}!`)),
    new RegExp(`holds ${tar.length + 1} byte\\(s\\) where trial\\.json says ${tar.length}`),
  ],
  [
    "with a file in its place",
    () => rm(place(), { recursive: true }).then(() => writeFile(place(), "?")),
    /^a file lies in its folder's place$/,
  ],
];

test.each(tornTrials)(
  "a trial %s is named and set aside, and counts as not done",
  async (_kind, tear, reason) => {
    await finish(planned);
    await finish(other);
    await tear();
    const [seen, whole] = await survey();
    expect(seen).toMatchObject({ trial: null, verdict: null, torn: { what: "trial" } });
    expect(seen?.torn?.reason).toMatch(reason);
    expect(whole?.torn).toBeNull();

    const found: FoundTrial[] = [];
    const aside = await new CampaignStore(folder).recover(trials, (one) => found.push(one));
    const shelf = join("set-aside", trialName(planned), "1");
    expect(aside).toEqual([{ planned, place: shelf, what: "trial", reason: seen?.torn?.reason }]);
    expect(setAsideWords(aside[0]!)).toContain(`${trialName(planned)}: ${seen?.torn?.reason ?? "?"}`);
    expect(found.map(({ trial }) => trial)).toEqual([null, finishedTrial(other)]);
    expect((await survey())[0]).toMatchObject({ trial: null, torn: null });
    expect((await stat(join(folder, shelf))).size).toBeGreaterThan(0);

    await finish(planned);
    expect(await new CampaignStore(folder).recover(trials)).toEqual([]);
    expect(await store.readTrial(planned)).toEqual(finishedTrial(planned));
  },
);

const tornVerdicts: readonly Tear[] = [
  ["empty", () => truncate(place("verdict.json")), /^verdict\.json is not JSON/],
  ["half there", () => edited("verdict.json", (text) => text.slice(0, 40)), /^verdict\.json is not JSON/],
  [
    "of another shape",
    () => edited("verdict.json", (text) => text.replace('"passed"', '"won"')),
    /^verdict\.json has another shape \(verdict: /,
  ],
];

test.each(tornVerdicts)("a verdict that is %s is set aside alone", async (_kind, tear, reason) => {
  await finish(planned);
  await tear();
  const aside = await new CampaignStore(folder).recover(trials);
  expect(aside).toMatchObject([
    { planned, what: "verdict", reason: expect.stringMatching(reason) as string },
  ]);
  expect(await readdir(join(folder, aside[0]!.place))).toEqual(["verdict.json"]);
  expect(setAsideWords(aside[0]!)).toMatch(/it is graded again\.$/);
  expect((await survey())[0]).toMatchObject({ trial: finishedTrial(planned), verdict: null, torn: null });
});

test("attempts that were lost stay with the trial when it is set aside, and each goes beside the earlier", async () => {
  await (await store.openTrial(planned)).lose("engine died");
  for (const number of [1, 2, 3]) {
    await finish(planned);
    await rm(place("transcript.jsonl"));
    const aside = await store.recover(trials);
    expect(aside.map((one) => one.place)).toEqual([join("set-aside", trialName(planned), String(number))]);
    expect(await store.countVoids(planned)).toBe(1);
    expect(await readdir(place())).toEqual(["voids"]);
  }
  expect((await readdir(join(folder, "set-aside", trialName(planned)))).sort()).toEqual(["1", "2", "3"]);
});

test("what holds no trial at all, or only attempts that are none, is not torn", async () => {
  await mkdir(place(), { recursive: true });
  await (await store.openTrial(other)).lose("budget", "stopped");
  expect((await survey()).map(({ torn, trial, voids }) => [torn, trial, voids])).toEqual([
    [null, null, 0],
    [null, null, 0],
  ]);
  expect(await store.recover(trials)).toEqual([]);
});

test("temporary files in a trial's folder are removed and make nothing torn", async () => {
  await finish(planned);
  await writeFile(place("verdict.json.1.x.tmp"), "{");
  expect(await store.recover(trials)).toEqual([]);
  expect((await readdir(place())).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test.each(["trial.json", "verdict.json"])(
  "a %s of another version is refused, not set aside",
  async (name) => {
    await finish(planned);
    await edited(name, (text) =>
      text
        .replace(/"format": "([a-z/]+)@\d+"/, '"format": "$1@99"')
        .replace(/"(standIn|verdict)":/, '"$1x":'),
    );
    await expect(new CampaignStore(folder).recover(trials)).rejects.toThrow(
      /its format is skillproof\/\w+@99/,
    );
    expect(await readdir(folder)).not.toContain("set-aside");
  },
);

test("a blocked trial has no workspace and lacks none", async () => {
  const open = await store.openTrial(planned);
  open.record({ kind: "note", text: "blocked" });
  await open.finish({ ...endedTrial(planned), outcome: { kind: "blocked", reason: "filter" } });
  expect((await survey())[0]).toMatchObject({ trial: { outcome: { kind: "blocked" } }, torn: null });
});

test("another workspace of the same size shows when it is about to be graded", async () => {
  await finish(planned);
  expect(await store.snapshotFault(finishedTrial(planned))).toBeNull();
  await writeFile(place("workspace.tar.gz"), gzipSync(tar.toUpperCase()));
  expect((await survey())[0]?.torn).toBeNull();
  expect(await store.snapshotFault(finishedTrial(planned))).toContain(sha256(tar.toUpperCase()).slice(0, 12));
  await writeFile(place("workspace.tar.gz"), "no gzip at all, whatever its size may be");
  expect(await store.snapshotFault(finishedTrial(planned))).toMatch(/cannot be read/);
  await rm(place("workspace.tar.gz"));
  expect(await store.snapshotFault(finishedTrial(planned))).toMatch(/cannot be read/);
  const aside = await store.setAside(planned, "of another hash");
  expect(aside.place).toBe(join("set-aside", trialName(planned), "1"));
  expect((await survey())[0]).toMatchObject({ trial: null, torn: null });
});

test.each([
  ["taken away", () => rm(place(), { recursive: true })],
  ["emptied", () => rm(place(), { recursive: true }).then(() => mkdir(place()))],
])(
  "a finished trial that was %s is named, and what was set aside or never done is not",
  async (_how, take) => {
    const gone = async (): Promise<readonly PlannedTrial[]> => {
      const found: PlannedTrial[] = [];
      await new CampaignStore(folder).recover(trials, (one, isGone) => isGone && found.push(one.planned));
      return found;
    };
    await finish(planned);
    expect(await gone()).toEqual([]);
    await take();
    expect(await gone()).toEqual([planned]);
    expect(goneWords(await gone())[0]).toContain(
      `1 trial(s) that evidence.jsonl names as finished are not there: ${trialName(planned)}.`,
    );
    await finish(other);
    await rm(join(folder, "trials", trialName(other), "trial.json"));
    expect(await gone()).toEqual([planned]);
    expect(await gone()).toEqual([planned]);
  },
);
