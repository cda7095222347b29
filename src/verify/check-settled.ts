import type { Plan } from "../artefacts/plan.ts";
import { placeOf } from "./chain.ts";
import { type ArmFound, type CampaignFound, type TrialFound, valueOf } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";
import type { Check } from "./observer.ts";

const ledger = "ledger.jsonl";

/**
 * The ledger, what judges did on sentinels and what the arms gave are what the last settlement bound, and the arms give
 * what the plan says. While trials are still to be done ledger and judges' trials may have grown since: that is not
 * compared.
 */
export const checkSettled: Check = (found) => {
  let isOpen = false;
  return {
    see: (one) => {
      isOpen ||= isUnfinished(one);
    },
    look: () => {
      const look = checkBound(found, isOpen);
      const arms = `; ${found.arms.length} arm(s) against the plan`;
      const differences = [...look.differences, ...found.arms.flatMap((one) => asPlanned(one, found.plan))];
      return { ...look, differences, words: `${look.words}${found.arms.length === 0 ? "" : arms}` };
    },
  };
};

function asPlanned({ place, skill, arm, record }: ArmFound, { inputs }: Plan): readonly Difference[] {
  if (record.kind === "absent") return [];
  if (record.kind === "unreadable")
    return [{ place, expected: "a record that can be read", came: record.words }];
  const planned = inputs.skills.find(({ id }) => id === skill)?.arms.find(({ id }) => id === arm);
  if (planned === undefined)
    return [{ place, expected: "an arm of plan.json", came: "one that is not planned" }];
  const { value } = record;
  const differences: Difference[] = [];
  if (value.skill !== skill || value.arm !== arm)
    differences.push({ place, expected: `the arm ${skill}/${arm}`, came: `${value.skill}/${value.arm}` });
  if (value.delivered !== planned.delivered) {
    const expected = `${short(planned.delivered)}, as the plan froze it`;
    differences.push({ place: `${place}: delivered`, expected, came: short(value.delivered) });
  }
  return differences;
}

function checkBound({ chain, settled }: CampaignFound, isOpen: boolean): Look {
  const placed = chain.latest.get("settled");
  const files = placed?.note.kind === "settled" ? placed.note.files : null;
  if (placed === undefined || files === null) {
    const words = "no settlement yet: skillproof eval binds money and judges' trials when it ends";
    const expected = "a line of a settlement, since every planned trial has its verdict";
    const differences = isOpen ? [] : [{ place: "evidence.jsonl", expected, came: "none" }];
    return { differences, words, partial: true };
  }
  const differences: Difference[] = [];
  const grown: string[] = [];
  for (const { path, prefix, bytes } of settled) {
    const bound = files[path];
    if (bound !== undefined && prefix === bound.sha256) {
      if (bytes === bound.bytes) continue;
      const more = `${(bytes ?? 0) - bound.bytes} byte(s) more`;
      if (isOpen && path === ledger) grown.push(`${path} (${more})`);
      else
        differences.push({
          place: path,
          expected: `${bound.bytes} bytes (${placeOf(placed.line)})`,
          came: more,
        });
    } else if (isOpen && mayGrow(path, bound) && placed.line < chain.lines && bytes !== null)
      grown.push(path);
    else differences.push(unlike(path, bound?.sha256 ?? null, { prefix, bytes }, placed.line));
  }
  const since =
    grown.length === 0
      ? ""
      : `; grown since, and not compared until skillproof eval ends: ${grown.join(", ")}`;
  const words = `${Object.keys(files).length} file(s) against line ${placed.line} of evidence.jsonl${since}`;
  return { differences, words, partial: grown.length > 0 };
}

/** Judges are tried again when trials are; an arm is kept once. */
function mayGrow(path: string, bound: object | undefined): boolean {
  return path.startsWith("judges/") || (path !== ledger && bound === undefined);
}

/** Another start of the same command would work on it. */
function isUnfinished({ trial, verdict }: TrialFound): boolean {
  if (valueOf(trial)?.outcome.kind === "blocked") return false;
  return trial.kind === "absent" || verdict.kind === "absent";
}

function unlike(
  place: string,
  bound: string | null,
  { prefix, bytes }: { readonly prefix: string | null; readonly bytes: number | null },
  line: number,
): Difference {
  if (bound === null) {
    return {
      place,
      expected: `no such file (${placeOf(line)})`,
      came: `${bytes ?? 0} bytes, bound by nothing`,
    };
  }
  const expected = `${short(bound)}, as line ${line} of evidence.jsonl says`;
  if (bytes === null) return { place, expected, came: "nothing: it was taken away" };
  return { place, expected, came: prefix === null ? "fewer bytes" : `${short(prefix)}: it was changed` };
}
