import { appendFile, mkdtemp, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { PlannedTrial, Trial } from "../artefacts/trial.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { hashJson, sha256 } from "../hash.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { sampleCanary } from "../testing/canaries.ts";
import { endedTrial, verdictOf } from "../testing/trials.ts";
import { CampaignStore } from "./campaign.ts";
import { findUnfinished } from "./leftovers.ts";

const [planned, other] = planTrials(sampleInputs(), "recipe");
let folder: string;
let store: CampaignStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "campaign-"));
  store = new CampaignStore(folder);
});
afterEach(() => rm(folder, { recursive: true }));

async function* bytes(...parts: string[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(Buffer.from(part));
}

async function finishTrial(trial = planned!): Promise<void> {
  const open = await store.openTrial(trial);
  open.record({ kind: "note", text: "worked" });
  await open.spool(bytes(tar));
  await open.finish(finishedTrial(trial));
}

const tar = "tar";

function finishedTrial(trial: PlannedTrial): Trial {
  const snapshot = { sha256: sha256(tar), bytes: tar.length };
  return { ...endedTrial(trial), outcome: { kind: "ended", stop: "finished", snapshot } };
}

test("a trial counts only once it is finished, and then whole", async () => {
  const open = await store.openTrial(planned!);
  open.record({ kind: "user", text: "task" });
  const ref = await open.spool(bytes("a workspace ", "in two parts"));
  expect(ref).toEqual({ sha256: sha256("a workspace in two parts"), bytes: 24 });
  expect(await store.readTrial(planned!)).toBeNull();
  await open.finish(endedTrial(planned!));
  expect(await store.readTrial(planned!)).toEqual(endedTrial(planned!));
  const parts: Uint8Array[] = [];
  for await (const part of store.readSnapshot(planned!)) parts.push(part);
  expect(Buffer.concat(parts).toString()).toBe("a workspace in two parts");
});

test("an attempt left half-done by a kill is begun again", async () => {
  const killed = await store.openTrial(planned!);
  await killed.spool(bytes("half"));
  await finishTrial();
  const names = await readdir(join(folder, "trials", "sample", planned!.benchmark, "a%2Fx", planned!.arm));
  expect(names).toEqual(["1"]);
});

test("void attempts are kept beside the trial that came after them", async () => {
  const lost = await store.openTrial(planned!);
  lost.record({ kind: "note", text: "said before the engine died" });
  await lost.lose("engine died");
  expect(await store.countVoids(planned!)).toBe(1);
  expect(await store.readTrial(planned!)).toBeNull();
  await finishTrial();
  expect(await store.countVoids(planned!)).toBe(1);
  const trialFolder = join(folder, "trials", "sample", planned!.benchmark, "a%2Fx", planned!.arm, "1");
  expect(await readFile(join(trialFolder, "voids/1/transcript.jsonl"), "utf8")).toContain(
    "void: engine died",
  );
});

test("the evidence is a hash chain whose head changes with every line", async () => {
  await finishTrial();
  const first = await store.evidenceHead();
  await store.writeVerdict(planned!, verdictOf("passed"), "log");
  await finishTrial(other);
  const lines = (await readFile(join(folder, "evidence.jsonl"), "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  let previous: string | null = null;
  for (const line of lines) {
    expect((JSON.parse(line) as { previous: string | null }).previous).toBe(previous);
    previous = sha256(line);
  }
  expect(await store.evidenceHead()).toBe(previous);
  expect(first).not.toBe(previous);
});

test("a torn last line of evidence is dropped, and the chain goes on from the whole ones", async () => {
  await finishTrial();
  const head = await store.evidenceHead();
  await appendFile(join(folder, "evidence.jsonl"), '{"kind":"tri');
  const reopened = new CampaignStore(folder);
  expect(await reopened.evidenceHead()).toBe(head);
});

test("a finished trial with another key than the planned one is an error, not a silent reuse", async () => {
  await finishTrial();
  await expect(store.readTrial({ ...planned!, key: "other" })).rejects.toThrow(/holds another trial/);
});

test("a verdict of another version is refused with the command that makes it anew", async () => {
  await finishTrial();
  const trialFolder = join(folder, "trials", "sample", planned!.benchmark, "a%2Fx", planned!.arm, "1");
  await appendFile(join(trialFolder, "verdict.json"), '{"format":"skillproof/verdict@0"}');
  await expect(store.readVerdict(planned!)).rejects.toThrow(
    /verdict\.json: not an artefact this version reads.*skillproof grade/,
  );
});

async function evidence(): Promise<string[]> {
  const text = await readFile(join(folder, "evidence.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { kind: string }).kind);
}

test("recovery changes nothing where nothing was left half done", async () => {
  await finishTrial();
  await store.writeVerdict(planned!, verdictOf("passed"), "log");
  const before = await readFile(join(folder, "evidence.jsonl"), "utf8");
  await new CampaignStore(folder).recover([planned!, other!]);
  expect(await readFile(join(folder, "evidence.jsonl"), "utf8")).toBe(before);
});

test("recovery writes the evidence that a kill came before, in order, and never over a change", async () => {
  await finishTrial();
  await store.writeVerdict(planned!, verdictOf("passed"), "log");
  const whole = await readFile(join(folder, "evidence.jsonl"), "utf8");
  await rm(join(folder, "evidence.jsonl"));
  await new CampaignStore(folder).recover([planned!, other!]);
  expect(await readFile(join(folder, "evidence.jsonl"), "utf8")).toBe(whole);

  await new CampaignStore(folder).writeVerdict(planned!, verdictOf("failed"), "log");
  const changed = join(
    folder,
    "trials",
    "sample",
    planned!.benchmark,
    "a%2Fx",
    planned!.arm,
    "1/verdict.json",
  );
  await writeFile(changed, JSON.stringify(verdictOf("passed")));
  await new CampaignStore(folder).recover([planned!]);
  expect(await evidence()).toEqual(["trial", "verdict", "verdict"]);
});

test("recovery puts a trial that was finished but not renamed in its place, with its voids, and drops the rest", async () => {
  await (await store.openTrial(planned!)).lose("engine died");
  await finishTrial();
  const final = join(folder, "trials", "sample", planned!.benchmark, "a%2Fx", planned!.arm, "1");
  await rename(final, `${final}.unfinished`);
  await rm(join(folder, "evidence.jsonl"));
  const half = await store.openTrial(other!);
  await half.spool(bytes("half"));
  await writeFile(join(folder, "plan.json.1.x.tmp"), "{");
  await new CampaignStore(folder).recover([planned!, other!]);
  expect(await store.readTrial(planned!)).toEqual(finishedTrial(planned!));
  expect(await store.countVoids(planned!)).toBe(1);
  expect(await store.readTrial(other!)).toBeNull();
  expect(await evidence()).toEqual(["trial"]);
  expect(await findUnfinished(folder)).toEqual([]);
});

test("canaries are kept beside each other, and what a kill left among them does not count", async () => {
  expect(await store.readCanaries()).toEqual([]);
  const [failed, passed] = [sampleCanary({ passed: false }), sampleCanary()];
  const path = await store.writeCanary(failed);
  expect(path).toBe(join(folder, "canaries", "sample", "without_skill", "1.json"));
  await writeFile(`${path}.7.tmp`, "{");
  await store.writeCanary(passed);
  expect(await store.readCanaries()).toEqual([failed, passed]);
});

test("each canary has its line of evidence, also where a kill came before it", async () => {
  await store.writeCanary(sampleCanary({ passed: false }));
  await finishTrial();
  await store.writeCanary(sampleCanary());
  const path = join(folder, "evidence.jsonl");
  const whole = await readFile(path, "utf8");
  const lines = whole
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ kind, canary }) => [kind, canary])).toEqual([
    ["canary", "sample/without_skill/1"],
    ["trial", undefined],
    ["canary", "sample/without_skill/2"],
  ]);
  expect(lines[2]?.["hash"]).toBe(hashJson(sampleCanary()));
  expect(await store.evidenceHead()).toBe(sha256(whole.trimEnd().split("\n").at(-1) ?? ""));

  await writeFile(path, whole.slice(0, whole.trimEnd().lastIndexOf("\n") + 1));
  await new CampaignStore(folder).recover([planned!]);
  expect(await readFile(path, "utf8")).toBe(whole);
});
