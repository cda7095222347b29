import { join } from "node:path";
import { type ArmRecord, armRecordSchema } from "../artefacts/arm-record.ts";
import { readArtefactIfThere } from "./artefact.ts";
import { writeJson } from "./atomic.ts";

const remedy = "Delete it and repeat: skillproof eval";

/** Keeps what the arms of a campaign give, each once: what lies there is what its trials got, and stays. */
export async function keepArms(campaign: string, records: readonly ArmRecord[]): Promise<void> {
  for (const record of records) {
    if ((await readArm(campaign, record)) === null) await writeJson(armFile(campaign, record), record);
  }
}

/** Null when there is none. Throws `UserError` for one that cannot be read. */
export function readArm(
  campaign: string,
  place: Pick<ArmRecord, "skill" | "arm">,
): Promise<ArmRecord | null> {
  return readArtefactIfThere(armFile(campaign, place), armRecordSchema, remedy);
}

function armFile(campaign: string, { skill, arm }: Pick<ArmRecord, "skill" | "arm">): string {
  return join(campaign, "arms", skill, `${arm}.json`);
}
