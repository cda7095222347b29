import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { GateRecord } from "../artefacts/gate.ts";
import type { Bundle } from "../artefacts/bundle.ts";
import type { RawConfig } from "../config.ts";
import { checks } from "../gate/run-gate.ts";
import { badBundles } from "../testing/bad-bundles/bad-bundles.ts";
import { totalsBundle } from "../testing/bad-bundles/totals.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { checkNames } from "../validate-benchmark.ts";
import { loadCampaignFile } from "./io.ts";
import { withPaidModels } from "./paid-models.ts";
import { openGate } from "./wire-gate.ts";

/** A letter that says "Dear" is polite, one that says "again" is angry. */
const policy = {
  format: "skillproof/stand-in-policy@1",
  models: {},
  judges: [
    { question: "Is the letter polite?", yes_if: ["Dear"] },
    { question: "Is the letter angry?", yes_if: ["again"] },
  ],
};

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bad-bundles-"));
  await writeFile(join(folder, "policy.yaml"), dump(policy));
});
afterAll(() => rm(folder, { recursive: true }));

/** The whole gate in real containers, stopping at the first check that refuses. */
async function gate(bundle: Bundle, settings: RawConfig["gate"] = {}): Promise<GateRecord> {
  const config: RawConfig = {
    name: "bad",
    models: { standIn: "policy.yaml" },
    judge: { models: ["stand-in/judge-a", "stand-in/judge-b", "stand-in/judge-c"] },
    gate: { mutants: 14, gradings: 5, ...settings },
  };
  const file = join(folder, `${bundle.id}.yaml`);
  await writeFile(file, dump(config));
  const io = capturedIo(folder);
  const loaded = await loadCampaignFile(io, file, {});
  return withPaidModels(loaded, io, async (paid) => {
    const { gate: open, close } = await openGate(loaded, paid, io);
    try {
      return await open(bundle, {
        provenance: null,
        known: new Map(),
        context: { sections: null, skill: null },
      });
    } finally {
      await close();
    }
  });
}

/** The usual three: the reference passes, an untouched workspace fails, a second grading says the same. */
const threeWays = ["structure", "reference-passes", "untouched-fails", "empty-fails", "repeats-agree"];

describe("the gate refuses", () => {
  test.for(badBundles)("$name", async ({ bundle, check, says, settings }) => {
    const record = await gate(bundle, settings);
    expect(record.passed).toBe(false);
    const last = record.checks.at(-1);
    expect([last?.check, last?.words]).toEqual([check, expect.any(String)]);
    for (const words of says) expect(last?.words).toContain(words);
    expect(record.checks.slice(0, -1).every(({ passed }) => passed)).toBe(true);
  });
});

test("the bundle that they were made from passes everything", async () => {
  const record = await gate(totalsBundle());
  expect(record.checks.filter(({ passed }) => !passed)).toEqual([]);
  expect(record.checks.map(({ check }) => check)).toEqual(checkNames());
  expect(record.killRate).toBe(1);
});

test("every check refuses one of them, and several pass the usual three ways", () => {
  const refusing = new Set(badBundles.map(({ check }) => check));
  expect(checks.map(({ name }) => name).filter((name) => !refusing.has(name))).toEqual([]);
  const order = checkNames();
  const last = Math.max(...threeWays.map((name) => order.indexOf(name)));
  const beyond = badBundles.filter(({ check }) => order.indexOf(check) > last);
  expect(beyond.length).toBeGreaterThanOrEqual(2);
});
