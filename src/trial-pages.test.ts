import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test } from "vitest";
import type { Plan } from "./artefacts/plan.ts";
import type { PlannedTrial, Trial } from "./artefacts/trial.ts";
import { trialPageFile } from "./report/html/links.ts";
import { CampaignStore } from "./store/campaign.ts";
import { writeTree } from "./store/tree.ts";
import { trialFolder } from "./store/trial-files.ts";
import { treeOf } from "./testing/benchmark.ts";
import { verdictOf } from "./testing/trials.ts";
import { type Left, layTrial, usualWorkspace, viewedCampaign } from "./testing/viewed-campaign.ts";
import {
  bundlesInMemory,
  bundlesOnDisk,
  compareTrialPages,
  mostTrialPages,
  writeTrialPages,
} from "./trial-pages.ts";
import { nowhere } from "./trial-view.ts";

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true });
});

async function campaign(left?: (planned: PlannedTrial) => Left) {
  const laid = await viewedCampaign(left);
  made.push(dirname(laid.folder));
  const known = bundlesInMemory([{ skill: "sample", bundle: laid.bundle }]);
  return { ...laid, known };
}

function pageOf(folder: string, planned: PlannedTrial): Promise<string> {
  return readFile(join(folder, "report", trialPageFile(planned)), "utf8");
}

function firstOf(plan: Plan): PlannedTrial {
  const [first] = plan.trials;
  if (first === undefined) throw new Error("nothing was planned");
  return first;
}

test("every planned trial gets a page, and what is unchanged is left alone", async () => {
  const { folder, plan, known } = await campaign();
  expect(await writeTrialPages(folder, known)).toEqual({ made: plan.trials.length, unchanged: 0 });
  expect(await writeTrialPages(folder, known)).toEqual({ made: 0, unchanged: plan.trials.length });
  const text = await pageOf(folder, firstOf(plan));
  expect(text).toContain("1 of 1 assertion of the grader passed.");
  expect(text).toContain("cat notes.txt");
  expect(text).toContain("Answer: exit code 0, after 0.1 s");
  expect(text).toContain("<ins>+right</ins>");
  expect(text).toContain("1 file of 2 not as the fixtures were: 1 added, 0 changed, 0 removed.");
  const left = await readdir(join(folder, "report"), { recursive: true });
  expect(left.filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test.each([
  ["words of it", (text: string) => text.replaceAll("passed", "failed")],
  ["its end", (text: string) => `${text}<p>and more</p>`],
  ["its beginning", (text: string) => `<p>first</p>${text}`],
])("a page that was changed by hand is made again: %s", async (_what, change) => {
  const { folder, plan, known } = await campaign();
  await writeTrialPages(folder, known);
  const before = await pageOf(folder, firstOf(plan));
  expect(change(before)).not.toBe(before);
  await writeFile(join(folder, "report", trialPageFile(firstOf(plan))), change(before));
  expect(await writeTrialPages(folder, known)).toEqual({ made: 1, unchanged: plan.trials.length - 1 });
  expect(await pageOf(folder, firstOf(plan))).toBe(before);
});

test("links of a page lead to files that are there", async () => {
  const { folder, plan, known } = await campaign();
  await writeTrialPages(folder, known);
  await writeFile(join(folder, "report/index.html"), "");
  for (const planned of plan.trials) {
    const text = await pageOf(folder, planned);
    const hrefs = [...text.matchAll(/href="([^"#][^"]*)"/g)].flatMap(([, href]) => href ?? []);
    const links = hrefs.filter((href) => !href.startsWith("data:"));
    expect(links.length).toBeGreaterThan(5);
    for (const href of links) {
      const { pathname } = new URL(href, pathToFileURL(join(folder, "report", trialPageFile(planned))));
      await expect(readFile(decodeURIComponent(pathname)), href).resolves.toBeDefined();
    }
  }
});

test.each([
  {
    what: "its transcript",
    change: (place: string) =>
      writeFile(join(place, "transcript.jsonl"), '{"kind":"note","text":"changed"}\n'),
    words: "changed",
  },
  {
    what: "its grader's log",
    change: (place: string) => writeFile(join(place, "grader.log"), "another log\n"),
    words: "another log",
  },
])("a page is made again when $what changes", async ({ change, words }) => {
  const { folder, plan, known } = await campaign();
  await writeTrialPages(folder, known);
  await change(trialFolder(folder, firstOf(plan)));
  expect(await writeTrialPages(folder, known)).toEqual({ made: 1, unchanged: plan.trials.length - 1 });
  expect(await pageOf(folder, firstOf(plan))).toContain(words);
});

const states: readonly { readonly what: string; readonly left: Left; readonly words: readonly string[] }[] = [
  {
    what: "not done",
    left: null,
    words: ["Not done yet.", "There is no workspace yet.", "There are no files of it yet"],
  },
  {
    what: "not graded",
    left: { verdict: null },
    words: ["The agent is done; there is no verdict yet.", "There is no verdict yet."],
  },
  {
    what: "blocked",
    left: {
      verdict: null,
      trial: (trial) => ({ ...trial, outcome: { kind: "blocked", reason: "a filter <b>said</b> no" } }),
    },
    words: [
      "An input filter refused the request",
      "a filter &lt;b>said&lt;/b> no",
      "There is no workspace: the request was blocked.",
    ],
  },
  {
    what: "ungraded",
    left: { verdict: verdictOf("ungraded", "the judges were absent") },
    words: ["ungraded", "the judges were absent."],
  },
  {
    what: "without what the provider did not say",
    left: {},
    words: ["<dt>Cost</dt><dd>unavailable</dd>", "unavailable (not cached unavailable, cached unavailable)"],
  },
  {
    what: "that changed more than it should",
    left: {
      verdict: {
        ...verdictOf("failed"),
        damage: {
          outside: {
            count: 21,
            first: [{ change: "removed", path: "<b>notes.txt" }],
            byProducts: 1,
            partial: true,
          },
          regression: "timeout",
        },
      },
    },
    words: [
      "21 paths outside of the task's outputs changed; 1 by-product",
      'removed: <bdi class="foreign" dir="ltr">&lt;b>notes.txt</bdi>',
      "1 of 21 paths named.",
      "The existing tests ran out of time.",
    ],
  },
  {
    what: "of an archive that was exchanged",
    left: { trial: (trial) => ({ ...trial, outcome: changedHash(trial) }) },
    words: ["The workspace that lies there is not the one that trial.json names."],
  },
];

function changedHash(trial: Trial): Trial["outcome"] {
  if (trial.outcome.kind !== "ended") return trial.outcome;
  return { ...trial.outcome, snapshot: { ...trial.outcome.snapshot, sha256: "0".repeat(64) } };
}

test.each(states)("a trial $what says so", async ({ left, words }) => {
  const { folder, plan, known } = await campaign((planned) => (planned.n === 1 ? left : {}));
  await writeTrialPages(folder, known);
  const text = await pageOf(folder, firstOf(plan));
  for (const word of words) expect(text).toContain(word);
});

test("fixtures are taken from where the plan's hash fits, and files are listed where it fits nowhere", async () => {
  const { folder, plan, bundle } = await campaign();
  const places = [join(dirname(folder), "other"), join(dirname(folder), "right")];
  const none = bundlesOnDisk(() => places);
  await writeTrialPages(folder, none);
  const listed = await pageOf(folder, firstOf(plan));
  expect(listed).toContain("What changed cannot be shown");
  expect(listed).toContain("2 of 2 files shown.");
  expect(listed).toContain("answer.txt");

  await writeTree(join(places[0] ?? "", bundle.id), [
    ...bundle.tree,
    ...treeOf({ "fixtures/more.txt": "x" }),
  ]);
  await writeTree(join(places[1] ?? "", bundle.id), bundle.tree);
  expect(
    await writeTrialPages(
      folder,
      bundlesOnDisk(() => places),
    ),
  ).toMatchObject({ made: plan.trials.length });
  expect(await pageOf(folder, firstOf(plan))).toContain("<ins>+right</ins>");
});

test("what is torn or leads outside is named, and the other pages are made", async () => {
  const { folder, plan, known } = await campaign();
  const [torn, linked] = plan.trials;
  if (torn === undefined || linked === undefined) throw new Error("too few trials");
  await writeFile(join(trialFolder(folder, torn), "trial.json"), "{");
  const secret = join(tmpdir(), `viewed-secret-${process.pid}.jsonl`);
  await writeFile(secret, '{"kind":"note","text":"nobody may see this"}\n');
  await rm(join(trialFolder(folder, linked), "transcript.jsonl"));
  await symlink(secret, join(trialFolder(folder, linked), "transcript.jsonl"));
  const written = await writeTrialPages(folder, known);
  await rm(secret);
  expect(written).toEqual({ made: plan.trials.length, unchanged: 0 });
  expect(await pageOf(folder, torn)).toContain("trial.json is not JSON");
  expect(await pageOf(folder, linked)).not.toContain("nobody may see this");
});

test("a page is compared with what can be made now, and left where it cannot be told why it differs", async () => {
  const { folder, plan, known } = await campaign((planned) => (planned.n === 1 ? null : {}));
  await writeTrialPages(folder, known);
  const whole = { compared: plan.trials.length, differences: [], left: { withoutFixtures: 0, underWay: 0 } };
  expect((await compareTrialPages(folder, known)).found).toEqual(whole);
  const without = (await compareTrialPages(folder, nowhere)).found;
  const left = { withoutFixtures: plan.trials.length, underWay: 0 };
  expect(without).toEqual({ compared: 0, differences: [], left });
  await mkdir(join(trialFolder(folder, firstOf(plan)), "voids/1"), { recursive: true });
  const later = (await compareTrialPages(folder, known)).found;
  expect(later).toEqual({ ...whole, compared: plan.trials.length - 1, left: { ...whole.left, underWay: 1 } });
  await writeTrialPages(folder, nowhere);
  expect((await compareTrialPages(folder, known)).found).toEqual(whole);
});

test("a campaign of more trials than that has no pages on disk", async () => {
  const { folder, plan, known } = await campaign(() => null);
  const many = Array.from({ length: mostTrialPages + 1 }, (_, at) => ({ ...firstOf(plan), n: at + 1 }));
  await rm(join(folder, "plan.json"));
  await new CampaignStore(folder).writePlan({ ...plan, trials: many });
  expect(await writeTrialPages(folder, known)).toBeNull();
  expect(await compareTrialPages(folder, known)).toEqual({ found: null, names: [] });
  await expect(readdir(join(folder, "report"))).rejects.toThrow("ENOENT");
});

test("pages of many trials are made one by one", async () => {
  const { folder, plan, known } = await campaign((planned) =>
    planned.arm === "with_skill" ? { workspace: usualWorkspace } : null,
  );
  const store = new CampaignStore(folder);
  const before = await writeTrialPages(folder, known);
  const open = plan.trials.filter(({ arm }) => arm !== "with_skill");
  for (const planned of open) await layTrial(store, planned, {});
  expect(before).toEqual({ made: plan.trials.length, unchanged: 0 });
  expect(await writeTrialPages(folder, known)).toEqual({
    made: open.length,
    unchanged: plan.trials.length - open.length,
  });
});
