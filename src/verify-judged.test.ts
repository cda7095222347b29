import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main } from "./cli/main.ts";
import { writeBenchmark } from "./store/benchmarks.ts";
import { letterBundle, passedGate } from "./testing/benchmark.ts";
import { capturedIo } from "./testing/captured-io.ts";
import { campaignIn, evalIn, filesIn } from "./testing/eval-command.ts";
import { type FakeModel, type FakeRule, type RunningFake, startFake } from "./testing/fake-openrouter.mjs";
import { marker, sampleCampaign } from "./testing/sample-campaign.ts";
import { checksOf, verifyBeside, wordsOf } from "./testing/tampered-campaign.ts";

const judges = ["alpha/judge-a", "bravo/judge-b", "carol/judge-c"];
let server: RunningFake;
let folder: string;

/** A benchmark that three judges decide; the provider of one trial changes once, which loses that attempt. */
beforeAll(async () => {
  const sound: readonly FakeRule[] = [
    { if: { last_has: "Is the letter polite?" }, do: { judge: { yes_if: ["Dear"] } } },
    { if: { last_has: "Is the letter angry?" }, do: { judge: { yes_if: ["/You again|Pay at once/"] } } },
  ];
  const writer: FakeModel = {
    rules: [
      { times: 1, turn: 2, do: { ...letter("Dear Madam\n"), provider: "Beta" } },
      { if: { system_has: marker }, do: letter("Dear Madam, thank you.\n") },
      { do: letter("Pay at once.\n") },
    ],
  };
  const models = { "delta/coder": writer, ...Object.fromEntries(judges.map((id) => [id, { rules: sound }])) };
  server = await startFake({ scenario: { models } });
  folder = await sampleCampaign({
    models: { baseUrl: server.baseURL },
    judge: { models: judges },
    evaluation: { models: ["delta/coder"], trials: 1, concurrency: 1 },
  });
  await rm(join(folder, "benchmarks/sample/answer"), { recursive: true });
  const bundle = letterBundle();
  await writeBenchmark(join(folder, "benchmarks/sample", bundle.id), bundle, passedGate(bundle));
  const { code, stderr } = await evalIn(folder);
  expect(code, stderr).toBe(0);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

function letter(content: string): FakeRule["do"] {
  return { agent: [[{ name: "write_file", args: { path: "letter.md", content } }], "Done."] };
}

/** Edits a file of the campaign, looks which checks tell it, and puts it back. */
async function toldBy(path: string, from: string | RegExp, to: string): Promise<readonly string[]> {
  const campaign = await campaignIn(folder);
  const before = await readFile(join(campaign, path), "utf8");
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  await writeFile(join(campaign, path), after);
  const told = checksOf(await verifyBeside(campaign));
  await writeFile(join(campaign, path), before);
  return told;
}

test("a judged campaign that lost an attempt holds, also after its trials were graded once more", async () => {
  expect(await filesIn(folder, "voids/1/transcript.jsonl")).toHaveLength(1);
  const campaign = await campaignIn(folder);
  const once = await verifyBeside(campaign);
  expect(once.findings).toEqual([]);
  const io = capturedIo(folder);
  expect(await main(["grade", campaign], io), io.stderr()).toBe(0);
  const twice = await verifyBeside(campaign);
  expect(twice.findings).toEqual([]);
  expect(twice.head).not.toBe(once.head);
  for (const verification of [once, twice])
    expect(wordsOf(verification, "report-bytes")).toMatch(/ and ([1-9]\d*) of \1 page\(s\) of trials /);
});

test("a ballot turned round, and a judge made sound afterwards, are told", async () => {
  const [verdict = ""] = (await filesIn(folder, "verdict.json")).filter((file) =>
    file.includes("with_skill/1/"),
  );
  const flip = /"answer": "(yes|no)"([^]*?)"answer": "\1"/;
  const turned = await toldBy(verdict, flip, '"answer": "absent"$2"answer": "absent"');
  expect(turned).toEqual(expect.arrayContaining(["records", "verdicts-follow"]));
  expect(await toldBy("judges/sample/letter.json", '"passed"', '"missed"')).toEqual(
    expect.arrayContaining(["settled", "report-bytes"]),
  );
  expect(checksOf(await verifyBeside(await campaignIn(folder)))).toEqual([]);
});
