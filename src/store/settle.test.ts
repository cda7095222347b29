import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashJson, sha256 } from "../hash.ts";
import { foundCampaign } from "../testing/found-campaign.ts";
import { endedTrial, verdictOf } from "../testing/trials.ts";
import { CampaignStore } from "./campaign.ts";
import { EvidenceChain } from "./evidence.ts";
import { measureFile } from "./file-hash.ts";
import { readRecord } from "./record.ts";
import { trialSchema } from "../artefacts/trial.ts";

const { plan } = foundCampaign();
const [planned] = plan.trials;
let folder: string;
let store: CampaignStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "settle-"));
  store = new CampaignStore(folder);
});
afterEach(() => rm(folder, { recursive: true }));

type Line = Readonly<Record<string, unknown>>;

async function evidence(): Promise<readonly Line[]> {
  const text = await readFile(join(folder, "evidence.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

test("the plan is the first line of evidence, also where a kill came before it, and once", async () => {
  await store.writePlan(plan);
  const whole = await readFile(join(folder, "evidence.jsonl"), "utf8");
  expect(await evidence()).toEqual([{ kind: "plan", hash: hashJson(plan), previous: null }]);
  await rm(join(folder, "evidence.jsonl"));
  for (let start = 0; start < 2; start++) await new CampaignStore(folder).recover(plan.trials);
  expect(await readFile(join(folder, "evidence.jsonl"), "utf8")).toBe(whole);
});

test("a trial's line names its transcript by hash, a verdict's the grader's log", async () => {
  if (planned === undefined) throw new Error("nothing was planned");
  const open = await store.openTrial(planned);
  open.record({ kind: "user", text: "a lone \ud800 surrogate" });
  await open.finish(endedTrial(planned));
  await store.writeVerdict(planned, verdictOf("passed"), "log");
  const trial = join(
    folder,
    "trials/sample",
    planned.benchmark,
    encodeURIComponent(planned.model),
    planned.arm,
    "1",
  );
  const transcript = sha256(await readFile(join(trial, "transcript.jsonl")));
  expect((await evidence()).map(({ kind, files }) => [kind, files])).toEqual([
    ["trial", { "transcript.jsonl": transcript }],
    ["verdict", { "grader.log": sha256("log") }],
  ]);
});

test("a settlement binds ledger and judges' trials, and is written once for each state of them", async () => {
  await store.settle();
  await store.settle();
  await writeFile(store.ledgerFile, "one\n");
  await store.settle();
  await new CampaignStore(folder).settle();
  await appendFile(store.ledgerFile, "two\n");
  await store.settle();
  const of = (text: string) => ({ "ledger.jsonl": { sha256: sha256(text), bytes: text.length } });
  expect((await evidence()).map(({ kind, files }) => [kind, files])).toEqual([
    ["settled", {}],
    ["settled", of("one\n")],
    ["settled", of("one\ntwo\n")],
  ]);
});

test("reading the evidence changes nothing of it; the next line drops what is torn", async () => {
  await store.settle();
  const file = join(folder, "evidence.jsonl");
  const whole = await readFile(file, "utf8");
  await appendFile(file, '{"kind":"sett');
  const chain = new EvidenceChain(file);
  expect(await chain.read()).toEqual({ lines: [whole.trimEnd()], torn: true });
  expect(await chain.head()).toBe(sha256(whole.trimEnd()));
  expect(await readFile(file, "utf8")).toBe(`${whole}{"kind":"sett`);
  await chain.append({ kind: "plan", hash: "h" });
  expect((await evidence()).map(({ kind }) => kind)).toEqual(["settled", "plan"]);
});

test.each([
  { what: "nothing", text: "", upTo: 0 },
  { what: "nothing of something", text: "abc", upTo: 0 },
  { what: "a part", text: "abc", upTo: 2 },
  { what: "more than there is", text: "abc", upTo: 9 },
  { what: "the beginning of many pieces", text: "0123456789".repeat(50_000), upTo: 70_001 },
  { what: "many pieces", text: "0123456789".repeat(50_000), upTo: Infinity },
])("a file is measured up to $what", async ({ text, upTo }) => {
  const file = join(folder, "file");
  await writeFile(file, text);
  const first = text.slice(0, upTo);
  expect(await measureFile(file, upTo)).toEqual({ sha256: sha256(first), bytes: first.length });
});

test("what is no file is not measured, and not read as a record", async () => {
  expect(await measureFile(folder)).toBeNull();
  expect(await measureFile(join(folder, "absent"))).toBeNull();
  expect(await readRecord(join(folder, "absent"), trialSchema)).toEqual({ kind: "absent" });
  expect(await readRecord(folder, trialSchema)).toMatchObject({ kind: "unreadable" });
});

test("the hash of a record is of all that its file holds", async () => {
  if (planned === undefined) throw new Error("nothing was planned");
  const file = join(folder, "trial.json");
  const trial = endedTrial(planned);
  await writeFile(file, JSON.stringify(trial, null, 2));
  expect(await readRecord(file, trialSchema)).toEqual({ kind: "there", value: trial, hash: hashJson(trial) });
  await writeFile(file, JSON.stringify({ ...trial, more: 1 }));
  expect(await readRecord(file, trialSchema)).toMatchObject({
    value: trial,
    hash: hashJson({ ...trial, more: 1 }),
  });
});
