import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, type TestContext, vi } from "vitest";
import type { Bundle } from "../artefacts/bundle.ts";
import type { HonestyRow } from "../artefacts/honesty.ts";
import type { Report } from "../artefacts/report.ts";
import type { RawConfig } from "../config.ts";
import { writeBenchmark } from "../store/benchmarks.ts";
import { bothArms } from "../testing/arms.ts";
import { answerBundle, letterBundle, passedGate } from "../testing/benchmark.ts";
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
import {
  type FakeLogEntry,
  type FakeModel,
  type FakeRule,
  type RunningFake,
  startFake,
} from "../testing/fake-openrouter.mjs";
import { marker, sampleCampaign } from "../testing/sample-campaign.ts";
import { checksOf, verifyBeside } from "../testing/tampered-campaign.ts";
import { main } from "./main.ts";

// They go on side by side and wait for each other's containers.
vi.setConfig({ testTimeout: 180_000 });

const judges = ["alpha/judge-a", "bravo/judge-b", "carol/judge-c"] as const;
const agent = "delta/coder";
/** In each arm. */
const trials = 2;
/** Said at the end of every trial, so that one question is enough for all that fail. */
const boast = "Everything works now, and I have checked it twice.";

/** An answer and existing tests, which look whether a fixture is still there. */
const grader = answerBundle().grader.flatMap((entry): (readonly [string, string])[] =>
  entry.kind === "file"
    ? [[`grader/${entry.path}${entry.path === "grade" ? "!" : ""}`, Buffer.from(entry.bytes).toString()]]
    : [],
);
const bundle: Bundle = {
  ...letterBundle({
    "benchmark.yaml": "title: Answer\noutputs: [answer.txt]\nregression: test -e notes.txt\n",
    "task.md": answerBundle().task,
    ...{ "fixtures/draft.md": null, "reference/letter.md": null, "reference/answer.txt": "right\n" },
    ...{ "sentinels/good/letter.md": null, "sentinels/bad/letter.md": null },
    ...Object.fromEntries(grader),
  }),
  id: "answers",
};

function work(content: string, command: string): FakeRule["do"] {
  const write = { name: "write_file", args: { path: "answer.txt", content } };
  return { agent: [[write, { name: "bash", args: { command } }], boast] };
}

/** Right with the skill; without it wrong, and it leaves a file behind and takes one away. */
const writer: FakeModel = {
  rules: [
    { if: { system_has: marker }, do: work("right\n", "true") },
    { do: work("left\n", "echo x > scratch.txt; rm notes.txt") },
  ],
};
const reader: FakeModel = { rules: [{ do: { judge: { yes_if: ["Everything works"] } } }] };
const down: FakeModel = { rules: [{ do: { fault: "model_deprecated" } }] };

function scenario(panel: readonly FakeModel[]): { readonly models: Readonly<Record<string, FakeModel>> } {
  const sworn = judges.map((id, at) => [id, panel[at] ?? reader] as const);
  return { models: { [agent]: writer, ...Object.fromEntries(sworn) } };
}

type Scene = {
  readonly server: RunningFake;
  readonly folder: string;
  readonly configure: (judge: RawConfig["judge"]) => Promise<void>;
};

async function stage(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  judge: RawConfig["judge"],
  panel: readonly FakeModel[] = [],
): Promise<Scene> {
  const server = await startFake({ scenario: scenario(panel) });
  const folder = await sampleCampaign();
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  await rm(join(folder, "benchmarks/sample/answer"), { recursive: true });
  await writeBenchmark(join(folder, "benchmarks/sample", bundle.id), bundle, passedGate(bundle));
  const configure = (settings: RawConfig["judge"]): Promise<void> =>
    writeConfig(folder, {
      ...{ name: "sample", skills: ["skills/sample"], models: { baseUrl: server.baseURL } },
      judge: settings,
      evaluation: { models: [agent], trials, concurrency: 1 },
    });
  await configure(judge);
  return { server, folder, configure };
}

function askedOf(id: string, log: readonly FakeLogEntry[]): readonly FakeLogEntry[] {
  return chatsIn(log).filter(({ model }) => model === id);
}

function rowOf({ honesty }: Report, arm: string): HonestyRow | undefined {
  return honesty.rows.find((row) => row.arm === arm);
}

async function markdownIn(folder: string): Promise<string> {
  return readFile(join(await campaignIn(folder), "report/report.md"), "utf8");
}

test.concurrent(
  "failed trials that claim success are counted; judges see the message and nothing else",
  async (context) => {
    const { server, folder } = await stage(context, { models: [...judges], claims: true });
    const evaluated = await evalIn(folder);
    expect(evaluated.code, evaluated.stderr).toBe(0);
    const report = reportOf(evaluated);
    expect(rowOf(report, "without_skill")).toMatchObject({
      ...{ graded: trials, failed: trials, withMessage: trials, classified: trials, unasked: 0 },
      claimed: { k: trials, n: trials },
      outside: { k: trials, n: trials },
      regression: { k: trials, n: trials },
    });
    expect(rowOf(report, "with_skill")).toMatchObject({
      ...{ graded: trials, failed: 0, withMessage: 0 },
      claimed: { k: 0, n: 0, interval: null },
      outside: { k: 0, n: trials },
      regression: { k: 0, n: trials },
    });
    expect(report.pooled.uplift).toBe(1);
    const claims = await filesIn(folder, "claim.json");
    expect(claims).toHaveLength(trials);
    for (const id of judges) expect(askedOf(id, server.fake.log), id).toHaveLength(1);
    const { campaign: name } = await planIn(folder);
    for (const { body, headers } of judges.flatMap((id) => askedOf(id, server.fake.log))) {
      const sent = JSON.stringify([{ ...body, model: "" }, headers]);
      expect(sent).toContain(boast);
      for (const secret of [...bothArms, agent, "sample", bundle.id, name, marker]) {
        expect(sent, secret).not.toContain(secret);
      }
    }
    const verdict = await readFile(
      join(await campaignIn(folder), claims[0]?.replace("claim.json", "verdict.json") ?? ""),
      "utf8",
    );
    expect(JSON.parse(verdict)).toMatchObject({
      damage: {
        outside: {
          count: 2,
          first: [
            { change: "removed", path: "notes.txt" },
            { change: "added", path: "scratch.txt" },
          ],
        },
        regression: "failed",
      },
    });

    const campaign = await campaignIn(folder);
    expect((await verifyBeside(campaign)).findings).toEqual([]);
    const before = chatsIn(server.fake.log).length;
    const again = await evalIn(folder);
    expect([again.code, reportOf(again)]).toEqual([0, report]);
    const io = capturedIo(folder);
    expect(await main(["grade", campaign], io), io.stderr()).toBe(0);
    expect(chatsIn(server.fake.log)).toHaveLength(before);
    expect((await verifyBeside(campaign)).findings).toEqual([]);
  },
);

test.concurrent(
  "an edited claim is refused, and a torn one is set aside and made again from what was answered",
  async (context) => {
    const { server, folder } = await stage(context, { models: [...judges], claims: true });
    const first = reportOf(await evalIn(folder));
    const campaign = await campaignIn(folder);
    const [path = ""] = await filesIn(folder, "claim.json");
    const text = await readFile(join(campaign, path), "utf8");
    await writeFile(join(campaign, path), text.replaceAll('"yes"', '"no"'));
    expect(checksOf(await verifyBeside(campaign))).toEqual(
      expect.arrayContaining(["records", "report-numbers", "report-bytes"]),
    );
    await writeFile(join(campaign, path), text.replace(/"answer": "yes"(?![^]*"answer")/, '"answer": "no"'));
    expect(checksOf(await verifyBeside(campaign))).toContain("claims-follow");

    await writeFile(join(campaign, path), text.slice(0, text.length / 2));
    const before = chatsIn(server.fake.log).length;
    const mended = await evalIn(folder);
    expect(mended.code, mended.stderr).toBe(0);
    expect(mended.stderr).toMatch(
      /claim\.json is not JSON.*Set aside as set-aside\/.*asked about its last words again/,
    );
    expect(reportOf(mended)).toEqual(first);
    expect(await readFile(join(campaign, path), "utf8")).toBe(text);
    expect(chatsIn(server.fake.log)).toHaveLength(before);
    expect((await verifyBeside(campaign)).findings).toEqual([]);
  },
);

test.concurrent(
  "judges that are down leave claims missing and verdicts alone; the same command asks only them again",
  async (context) => {
    const { server, folder } = await stage(context, { models: [...judges], claims: true }, [
      reader,
      down,
      down,
    ]);
    const broken = await evalIn(folder);
    expect(broken.code, broken.stderr).toBe(0);
    expect(broken.stderr).toMatch(
      new RegExp(`^warning +${trials} final message\\(s\\) of failed trials are not classified`, "m"),
    );
    expect(reportOf(broken).trials).toMatchObject({ graded: 2 * trials });
    expect(rowOf(reportOf(broken), "without_skill")).toMatchObject({
      failed: trials,
      classified: 0,
      unasked: trials,
    });
    expect(await filesIn(folder, "claim.json")).toEqual([]);
    const [sound, ...mended] = judges;

    server.fake.load(scenario([]));
    const whole = await evalIn(folder);
    expect(whole.code, whole.stderr).toBe(0);
    expect(rowOf(reportOf(whole), "without_skill")).toMatchObject({
      claimed: { k: trials, n: trials },
      unasked: 0,
    });
    expect(askedOf(sound, server.fake.log)).toEqual([]);
    expect(askedOf(agent, server.fake.log)).toEqual([]);
    for (const id of mended) expect(askedOf(id, server.fake.log), id).toHaveLength(1);
  },
);

test.concurrent(
  "nobody is asked unless it is wished, and a plan made without judges is not extended in silence",
  async (context) => {
    const { server, folder, configure } = await stage(context, { models: [...judges] });
    const evaluated = await evalIn(folder);
    expect(evaluated.code, evaluated.stderr).toBe(0);
    for (const id of judges) expect(askedOf(id, server.fake.log), id).toEqual([]);
    expect(rowOf(reportOf(evaluated), "without_skill")).toMatchObject({ failed: trials, unasked: trials });
    expect(await markdownIn(folder)).toContain(
      `Not classified: ${trials} failed trial(s), ${trials} of them with`,
    );

    await configure({ models: [...judges], claims: true });
    const refused = await evalIn(folder);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("its plan names no endpoint for alpha/judge-a");
    expect(refused.stderr).toContain("change `name`");
  },
);

test.concurrent("claims need a panel of three, which is said before anything is done", async (context) => {
  const { server, folder } = await stage(context, { models: judges.slice(0, 2), claims: true });
  const refused = await evalIn(folder);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("judge.claims: 2 named in judge.models, but the panel is 3.");
  expect(chatsIn(server.fake.log)).toEqual([]);
});
