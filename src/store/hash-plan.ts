import { createHash, type Hash } from "node:crypto";
import { planSchema } from "../artefacts/plan.ts";
import { canonicalJson } from "../hash.ts";
import { readRecord } from "./record.ts";
import { planPieces } from "./plan-pieces.ts";

/**
 * Hash of the canonical JSON of a plan as it lies at `path`, what this version does not know included; null when none can
 * be read. One trial at a time where it lies as it was written: text, parsed text and canonical text of a hundred thousand
 * trials together are more than all the rest that verifies them.
 */
export async function hashPlan(path: string): Promise<string | null> {
  const byTrial = await hashByTrial(path);
  if (byTrial !== null) return byTrial;
  const record = await readRecord(path, planSchema);
  return record.kind === "there" ? record.hash : null;
}

/** Stands in the place of the list, so that one which stands elsewhere too is seen. */
const stand = "the list of trials, taken out";

/** Null when it is laid out in another way. Its members are in order, so that those behind the list are read before it. */
async function hashByTrial(path: string): Promise<string | null> {
  const rest: string[] = [];
  for await (const { kind, text } of planPieces(path)) {
    if (kind === "odd") return null;
    if (kind === "rest") rest.push(text);
    if (kind === "list") rest.push(`"trials": ${JSON.stringify(stand)}`);
  }
  const others = objectIn(rest.join("\n"));
  if (others?.["trials"] !== stand) return null;
  const hash = createHash("sha256");
  const members = Object.entries(
    Object.fromEntries(Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
  for (const [at, [name, value]] of members.entries()) {
    hash.update(`${at === 0 ? "{" : ","}${JSON.stringify(name)}:`);
    if (name !== "trials") hash.update(canonicalJson(value));
    else if (!(await addTrials(path, hash))) return null;
  }
  return hash.update("}").digest("hex");
}

async function addTrials(path: string, hash: Hash): Promise<boolean> {
  let before = "[";
  for await (const { kind, text } of planPieces(path)) {
    if (kind !== "trial") continue;
    const one = objectIn(text);
    if (one === null) return false;
    hash.update(`${before}${canonicalJson(one)}`);
    before = ",";
  }
  hash.update(before === "[" ? "[]" : "]");
  return true;
}

/** Null for what is no object. */
function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
