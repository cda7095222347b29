import { join, resolve } from "node:path";
import { UserError } from "../errors.ts";
import { textIfThere } from "../store/regular-file.ts";

/** A campaign as people name it: its folder, or its name below `out`. Throws `UserError` when it is neither. */
export async function campaignFolder(name: string, out: string, cwd: string): Promise<string> {
  for (const folder of [resolve(cwd, name), join(out, name)]) {
    if ((await textIfThere(join(folder, "plan.json"))) !== undefined) return folder;
  }
  throw new UserError(
    `${name}: no campaign there (no plan.json), nor in ${out}. Name the folder that eval printed.`,
  );
}
