import { type EvidenceNote, markOf } from "../artefacts/evidence.ts";
import { type PlannedTrial, trialName } from "../artefacts/trial.ts";
import { canonicalJson } from "../hash.ts";
import { type Chain, placeOf, type PlacedNote } from "./chain.ts";
import { type CampaignFound, type Read, type TrialFound, valueOf } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";

type Kind = "trial" | "verdict" | "claim";

/** What each kind of line names besides its artefact. */
const restsOn: Readonly<Record<Kind, readonly string[]>> = {
  trial: ["transcript.jsonl"],
  verdict: ["grader.log"],
  claim: [],
};

/** Every record is what its line of evidence says, and no line is without its record, no record without its line. */
export function checkRecords(found: CampaignFound, chain: Chain): Look {
  const { trials, canaries } = found;
  const differences = [
    ...trials.flatMap((one) => recordOf(one, "trial", chain)),
    ...trials.flatMap((one) => recordOf(one, "verdict", chain)),
    ...trials.flatMap((one) => (isOfEarlier(one, chain) ? [] : recordOf(one, "claim", chain))),
    ...trials.flatMap(asPlanned),
    ...trials.flatMap(regularOnly),
    ...found.unplanned.map((place) => ({
      place,
      expected: "only what is planned",
      came: "what is not in plan.json",
    })),
    ...canaries.flatMap(({ name, canary }) =>
      held(`canaries/${name}.json`, canary, chain.latest.get(markOf({ kind: "canary", canary: name }))),
    ),
    ...withoutRecord(found, chain),
    ...madeAgain(chain),
  ];
  const count = (kind: Kind): number => trials.filter((one) => one[kind].kind !== "absent").length;
  const repeated =
    chain.notes.filter(({ note }) => note.kind === "trial").length - linesAbout(chain, "trial");
  const again =
    repeated === 0
      ? ""
      : `; ${repeated} trial(s) were done again after they had been set aside: ${asideWords(chain)}`;
  const vanished = paidForNothing(found);
  const claims = count("claim") === 0 ? "" : `, and ${count("claim")} claims`;
  const gone =
    vanished.length === 0
      ? ""
      : `; under way, killed or taken away, since answered by a model and left nothing: ${vanished.join(", ")}`;
  return {
    differences,
    partial: vanished.length > 0,
    words:
      `${count("trial")} trials of ${trials.length} planned, ${count("verdict")} verdicts and ${canaries.length} ` +
      `canaries, with transcripts and graders' logs${claims}, against their lines of evidence${again}${gone}`,
  };
}

/** Trials without any trace but in the ledger: nothing tells a kill from a hand. */
function paidForNothing({ trials, ledger }: CampaignFound): readonly string[] {
  const paid = new Set(
    (valueOf(ledger) ?? []).flatMap((line) =>
      line.kind === "attempt" && line.role === "agent" && line.outcome === "turn" ? (line.subject ?? []) : [],
    ),
  );
  return trials
    .filter(({ trial, voids, stopped }) => trial.kind === "absent" && voids + stopped === 0)
    .map(({ planned }) => trialName(planned))
    .filter((name) => paid.has(name));
}

function linesAbout({ latest }: Chain, kind: EvidenceNote["kind"]): number {
  return [...latest.values()].filter(({ note }) => note.kind === kind).length;
}

function recordOf(one: TrialFound, kind: Kind, chain: Chain): readonly Difference[] {
  const trial = trialName(one.planned);
  const folder = `trials/${trial}`;
  const placed = chain.latest.get(markOf({ kind, trial }));
  const record = held(`${folder}/${kind}.json`, one[kind], placed);
  const note = placed?.note;
  if (record.length > 0 || note === undefined || !isAboutTrial(note)) return record;
  const key: readonly Difference[] =
    note.key === one.planned.key
      ? []
      : [
          {
            place: placeOf(placed?.line ?? 0),
            expected: `the planned key ${short(one.planned.key)}`,
            came: short(note.key),
          },
        ];
  const names = [...new Set([...restsOn[kind], ...Object.keys(note.files)])];
  const files = names.flatMap((name) => {
    const [expected, came] = [note.files[name] ?? null, one.files[name] ?? null];
    if (expected === came) return [];
    return [changed(`${folder}/${name}`, expected, came, placed)];
  });
  return [...key, ...files];
}

/** A trial that was made a second time without a reason may have been made until it fitted. */
function madeAgain({ notes }: Chain): readonly Difference[] {
  const finished = new Map<string, number>();
  return notes.flatMap(({ note, line }): readonly Difference[] => {
    if (note.kind === "set_aside" && note.what === "trial") finished.delete(note.trial);
    if (note.kind !== "trial") return [];
    const first = finished.get(note.trial);
    finished.set(note.trial, line);
    if (first === undefined) return [];
    const expected = `${note.trial} once, or set aside in between with its reason`;
    return [{ place: placeOf(line), expected, came: `a second time, after line ${first}` }];
  });
}

function asideWords({ notes }: Chain): string {
  const words = notes.flatMap(({ note }) =>
    note.kind === "set_aside" && note.what === "trial" ? [`${note.trial} (${note.reason})`] : [],
  );
  return words.length === 0 ? "none" : words.join(", ");
}

function isAboutTrial(note: EvidenceNote): note is Extract<EvidenceNote, { readonly kind: Kind }> {
  return note.kind === "trial" || note.kind === "verdict" || note.kind === "claim";
}

/** A trial that is done again need not fail again, and then nobody is asked what it claims. */
function isOfEarlier({ planned, claim }: TrialFound, { latest }: Chain): boolean {
  const lineOf = (kind: Kind): number => latest.get(markOf({ kind, trial: trialName(planned) }))?.line ?? 0;
  return claim.kind === "absent" && lineOf("claim") < lineOf("trial");
}

function held(place: string, read: Read<unknown>, placed: PlacedNote | undefined): readonly Difference[] {
  const hash = placed === undefined || !("hash" in placed.note) ? null : placed.note.hash;
  switch (read.kind) {
    case "unreadable":
      return [{ place, expected: "a record that can be read", came: read.words }];
    case "absent":
      return hash === null ? [] : [changed(place, hash, null, placed)];
    case "there":
      return read.hash === hash ? [] : [changed(place, hash, read.hash, placed)];
  }
}

function changed(
  place: string,
  expected: string | null,
  came: string | null,
  placed: PlacedNote | undefined,
): Difference {
  const line = placed === undefined ? "" : `, as line ${placed.line} of evidence.jsonl says`;
  return {
    place,
    expected: expected === null ? "a line of evidence that names it" : `${short(expected)}${line}`,
    came:
      came === null
        ? "nothing: it was taken away"
        : expected === null
          ? `none: it was put there, or a kill came between (skillproof eval writes the line)`
          : `${short(came)}: it was changed`,
  };
}

/** trial.json says itself what it is the record of; void attempts lie beside it. */
function asPlanned({ planned, trial, voids }: TrialFound): readonly Difference[] {
  if (trial.kind !== "there") return [];
  const folder = `trials/${trialName(planned)}`;
  const differences: Difference[] = [];
  if (!isSame(trial.value.trial, planned)) {
    differences.push({
      place: `${folder}/trial.json: trial`,
      expected: `the planned trial, key ${short(planned.key)}`,
      came: `${trialName(trial.value.trial)}, key ${short(trial.value.trial.key)}`,
    });
  }
  if (trial.value.voids !== voids) {
    differences.push({
      place: `${folder}/voids`,
      expected: `${trial.value.voids} void attempt(s), as trial.json says`,
      came: String(voids),
    });
  }
  return differences;
}

/** Of anything else nothing was read. */
function regularOnly({ planned, odd }: TrialFound): readonly Difference[] {
  return odd.map((name) => ({
    place: `trials/${trialName(planned)}/${name}`,
    expected: "a regular file",
    came: "not a regular file: a link, pipe, device or socket, which was not read",
  }));
}

/** Mostly in one order of members, which is quicker to see. */
function isSame(one: PlannedTrial, other: PlannedTrial): boolean {
  return JSON.stringify(one) === JSON.stringify(other) || canonicalJson(one) === canonicalJson(other);
}

/** Lines about what is neither planned nor there. */
function withoutRecord({ trials, canaries }: CampaignFound, { latest }: Chain): readonly Difference[] {
  const planned = new Set(trials.map((one) => trialName(one.planned)));
  const probed = new Set(canaries.map(({ name }) => name));
  return [...latest.values()].flatMap(({ note, line }): readonly Difference[] => {
    if (isAboutTrial(note) && !planned.has(note.trial)) {
      return [
        {
          place: placeOf(line),
          expected: "a planned trial",
          came: `${note.trial}, which is not in plan.json`,
        },
      ];
    }
    if (note.kind === "canary" && !probed.has(note.canary)) {
      const expected = `canaries/${note.canary}.json with ${short(note.hash)}`;
      return [{ place: placeOf(line), expected, came: "nothing: it was taken away" }];
    }
    return [];
  });
}
