import { type Chain, placeOf } from "./chain.ts";
import { type CampaignFound, type TrialFound, valueOf } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";

const ledger = "ledger.jsonl";

/**
 * The ledger, and what judges did on sentinels, are what the last settlement bound. While trials are still to be done
 * both may have grown since: that is not compared.
 */
export function checkSettled(found: CampaignFound, chain: Chain): Look {
  const placed = chain.latest.get("settled");
  const isOpen = found.trials.some(isUnfinished);
  const files = placed?.note.kind === "settled" ? placed.note.files : null;
  if (placed === undefined || files === null) {
    const words = "no settlement yet: skillproof eval binds money and judges' trials when it ends";
    const expected = "a line of a settlement, since every planned trial has its verdict";
    const differences = isOpen ? [] : [{ place: "evidence.jsonl", expected, came: "none" }];
    return { differences, words, partial: true };
  }
  const differences: Difference[] = [];
  const grown: string[] = [];
  for (const { path, prefix, bytes } of found.settled) {
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
    } else if (isOpen && path !== ledger && placed.line < found.lines.length && bytes !== null)
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
