import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cheat } from "../artefacts/cheat.ts";

const prelude = "prelude.bash";

/**
 * The cheater pack: every `*.sh` of a folder, in the order of their names, each behind the words of `prelude.bash`.
 * Throws for a folder without any: a check that tries nothing proves nothing.
 */
export async function readCheats(folder: string): Promise<Cheat[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sh"));
  const names = files.map((name) => name.replace(/\.sh$/, "")).sort();
  if (names.length === 0) throw new Error(`${folder}: no cheats (*.sh) there. Build again.`);
  const words = await readFile(join(folder, prelude), "utf8");
  return Promise.all(
    names.map(async (name) => {
      const script = await readFile(join(folder, `${name}.sh`), "utf8");
      const [, tries] = /^# cheat: (\S.*)$/m.exec(script) ?? [];
      if (tries === undefined) throw new Error(`${name}.sh: no line "# cheat: what it tries"`);
      if (!/^# cure: \S/m.test(script))
        throw new Error(`${name}.sh: no line "# cure: what a grader does against it"`);
      return { name, words: tries, script: `${words}\n${script}` };
    }),
  );
}
