import { mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { type PlannedTrial, trialName } from "../artefacts/trial.ts";
import { isShelf, type Torn } from "./find-trial.ts";

/** What was taken out of the way, and where it lies now. */
export type SetAside = Torn & {
  readonly planned: PlannedTrial;
  /** Below the campaign's folder. */
  readonly place: string;
};

/**
 * Moves what is torn of a trial to `set-aside/<trial>/<k>/`, beside what was moved there before. Attempts that were lost
 * stay with the trial, since they are counted. trial.json goes first: what a kill then leaves is as torn as before.
 */
export async function setAside(folder: string, planned: PlannedTrial, torn: Torn): Promise<SetAside> {
  const name = trialName(planned);
  const shelf = join("set-aside", name);
  const place = join(shelf, String((await lastNumber(join(folder, shelf))) + 1));
  const [from, to] = [join(folder, "trials", name), join(folder, place)];
  if (torn.what !== "trial") {
    await mkdir(to, { recursive: true });
    await rename(join(from, `${torn.what}.json`), join(to, `${torn.what}.json`));
    return { ...torn, planned, place };
  }
  const names = await namesIn(from);
  if (names === null || !names.some(isShelf)) {
    await mkdir(join(folder, shelf), { recursive: true });
    await rename(from, to);
    return { ...torn, planned, place };
  }
  await mkdir(to, { recursive: true });
  const files = names
    .filter((entry) => !isShelf(entry))
    .sort((a, b) => Number(isTrial(b)) - Number(isTrial(a)));
  for (const entry of files) await rename(join(from, entry), join(to, entry));
  return { ...torn, planned, place };
}

const again: Readonly<Record<Torn["what"], string>> = {
  trial: "the trial is worked on again",
  verdict: "it is graded again",
  claim: "judges are asked about its last words again",
};

/** For people who look at what `eval` says. */
export function setAsideWords({ planned, what, reason, place }: SetAside): string {
  return `${trialName(planned)}: ${reason}. Set aside as ${place}; ${again[what]}.`;
}

/** Of trials that were recorded as finished and of which nothing is left; no line without one. */
export function goneWords(gone: readonly PlannedTrial[]): readonly string[] {
  if (gone.length === 0) return [];
  const first = gone.slice(0, 3).map(trialName).join(", ");
  return [
    `${gone.length} trial(s) that evidence.jsonl names as finished are not there: ${first}${gone.length > 3 ? ", …" : ""}. ` +
      "Bring their folders back if you can: they are worked on again, and verify will say that they were there twice.",
  ];
}

function isTrial(name: string): boolean {
  return name === "trial.json";
}

/** Of the folders 1, 2, 3 and so on in there; 0 without any. */
async function lastNumber(folder: string): Promise<number> {
  const numbers = ((await namesIn(folder)) ?? []).map(Number).filter(Number.isInteger);
  return Math.max(0, ...numbers);
}

async function namesIn(folder: string): Promise<readonly string[] | null> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return [];
    if (code === "ENOTDIR") return null;
    throw error;
  }
}
