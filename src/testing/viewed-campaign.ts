import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bundle } from "../artefacts/bundle.ts";
import type { CampaignInputs, Plan } from "../artefacts/plan.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import type { FileTree } from "../artefacts/tree.ts";
import type { PlannedTrial, Trial } from "../artefacts/trial.ts";
import type { Verdict } from "../artefacts/verdict.ts";
import { campaignId } from "../campaign-plan.ts";
import { packTree } from "../sandbox/tar.ts";
import { CampaignStore } from "../store/campaign.ts";
import { answerBundle, sampleInputs, treeOf } from "./benchmark.ts";
import { scalePlan } from "./bench/scale-campaign.ts";
import { endedTrial, verdictOf } from "./trials.ts";

/** What one trial leaves; null for one that is still to be done. */
export type Left = {
  readonly lines?: readonly TranscriptLine[];
  readonly workspace?: FileTree | AsyncIterable<Uint8Array>;
  readonly trial?: (trial: Trial) => Trial;
  readonly verdict?: Verdict | null;
  readonly log?: string;
} | null;

/** What an agent says and does to answer the sample benchmark. */
export const usualLines: readonly TranscriptLine[] = [
  { kind: "system", text: "You work in a container without a network." },
  { kind: "user", text: "Write the answer into answer.txt.\n" },
  {
    kind: "assistant",
    text: null,
    toolCalls: [{ id: "1", name: "bash", arguments: '{"command":"cat notes.txt"}' }],
    finish: "tool_calls",
  },
  { kind: "tool", toolCallId: "1", name: "bash", text: "a fixture\n[exit code 0]", seconds: 0.1 },
  { kind: "assistant", text: "Done.", toolCalls: [], finish: "stop" },
];

export const usualWorkspace = treeOf({ "notes.txt": "a fixture\n", "answer.txt": "right\n" });

/** A campaign on disk without containers: the sample benchmark, two arms, and of each trial what `left` says. */
export async function viewedCampaign(
  left: (planned: PlannedTrial) => Left = () => ({}),
  over: Partial<CampaignInputs> = {},
  out?: string,
): Promise<{ readonly folder: string; readonly plan: Plan; readonly bundle: Bundle }> {
  const bundle = answerBundle();
  const plan = viewedPlan(bundle, over);
  const folder = join(out ?? (await mkdtemp(join(tmpdir(), "viewed-campaign-"))), plan.campaign);
  const store = new CampaignStore(folder);
  await store.writePlan(plan);
  for (const planned of plan.trials) {
    const one = left(planned);
    if (one !== null) await layTrial(store, planned, one);
  }
  return { folder, plan, bundle };
}

function viewedPlan(bundle: Bundle, over: Partial<CampaignInputs>): Plan {
  const base = sampleInputs({ trials: 2, ...over });
  const benchmarks = [{ id: bundle.id, bundleHash: bundle.hash }];
  const inputs = { ...base, skills: base.skills.map((skill) => ({ ...skill, benchmarks })) };
  return { ...scalePlan(inputs), campaign: campaignId(inputs), standIn: false, analysis: null };
}

/** As an evaluation would lay it down. */
export async function layTrial(
  store: CampaignStore,
  planned: PlannedTrial,
  { lines = usualLines, workspace = usualWorkspace, trial = (same) => same, verdict, log }: NonNullable<Left>,
): Promise<void> {
  const open = await store.openTrial(planned);
  for (const line of lines) open.record(line);
  const snapshot = await open.spool(Symbol.asyncIterator in workspace ? workspace : packTree(workspace));
  const ended = endedTrial(planned);
  await open.finish(trial({ ...ended, outcome: { kind: "ended", stop: "finished", snapshot } }));
  const graded = verdict === undefined ? passedVerdict(snapshot.sha256) : verdict;
  if (graded !== null) await store.writeVerdict(planned, graded, log ?? "--- stdout\nall is well\n");
}

function passedVerdict(snapshot: string): Verdict {
  const assertions = [{ assertion: "answer.txt holds the answer", passed: true }];
  return { ...verdictOf("passed"), assertions, snapshot };
}
