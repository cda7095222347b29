import { basename, dirname, join, relative, sep } from "node:path";
import type { ArmSpec } from "../../artefacts/arm.ts";
import { readDelivery } from "../../campaign-arms.ts";
import type { Config } from "../../config.ts";
import { messageOf, UserError } from "../../errors.ts";
import { bundleFolders } from "../../store/benchmarks.ts";
import { readGitTree } from "../../store/git-tree.ts";
import { shellWord } from "../shell-word.ts";
import { panelDoubts, readSound } from "../wire-doctor.ts";
import { isStandIn } from "../wire-models.ts";
import { checked, fail, ok, type Row, together, warn } from "./row.ts";

export type Place = {
  readonly signal: AbortSignal;
  readonly cwd: string;
  /** ` --config FILE` where it is not the usual file. */
  readonly option: string;
};

/** The skills under test, and that nothing of the campaign lies in them. */
export function skillRows(config: Config, place: Place): Promise<readonly Row[]> {
  if (config.skills.length === 0) {
    return Promise.resolve([fail("skills", "none named", "skills: [skills/NAME]")]);
  }
  return together(
    config.skills.map(({ folder }) =>
      checked(
        `skill ${basename(folder)}`,
        async () => {
          const { files } = await readDelivery(folder);
          const inside = campaignFolders(config).filter((one) =>
            `${one}${sep}`.startsWith(`${folder}${sep}`),
          );
          const check = `skill ${basename(folder)}`;
          if (inside.length === 0) return ok(check, `SKILL.md and ${files.length - 1} other file(s)`);
          const beside = join(relative(place.cwd, dirname(folder)) || ".", `${basename(folder)}-campaign`);
          const words = `${inside.map((one) => relative(folder, one) || "the campaign's file").join(", ")} lie(s) in its folder and is given to agents with it`;
          return fail(
            check,
            words,
            `mkdir ${shellWord(beside)}   # and move all that is no part of the skill there`,
          );
        },
        // Never the making of a new file: it would replace the one with the mistake in it.
        { ...place, mend: "skills: [skills/NAME]   # correct this in the campaign's file" },
      ),
    ),
  );
}

function campaignFolders({ folder, benchmarks, out }: Config): readonly string[] {
  return [...new Set([folder, benchmarks, out])];
}

export type BenchmarkRows = {
  readonly rows: readonly Row[];
  /** Of the sound ones; null: nothing is known. */
  readonly sound: number;
  readonly judged: number;
};

/** Every bundle with the record of its gate. */
export async function benchmarkRows(config: Config, place: Place): Promise<BenchmarkRows> {
  let sound = 0;
  let judged = 0;
  const rows = await together(
    config.skills.map(({ folder: skill, benchmarks }) => {
      const folder = benchmarks ?? join(config.benchmarks, basename(skill));
      const check = `benchmarks of ${basename(skill)}`;
      const build = `skillproof build${place.option} ${shellWord(relative(place.cwd, skill) || ".")}`;
      return checked(
        check,
        async () => {
          const ids = await idsIn(folder);
          if (ids.length === 0) return warn(check, "none yet; trials need some", build);
          const faults: Row[] = [];
          for (const id of ids) {
            try {
              const benchmark = await readSound(folder, id, basename(skill));
              sound++;
              if (benchmark.judged) judged++;
            } catch (error) {
              if (!(error instanceof UserError)) throw error;
              const path = shellWord(relative(place.cwd, join(folder, id)));
              const words = messageOf(error).replace(/ Run: [^\n]*$/, "");
              faults.push(fail(`benchmark ${id}`, words, `skillproof validate${place.option} ${path}`));
            }
          }
          const words = `${ids.length - faults.length} of ${ids.length} fit the record of their gate`;
          return faults.length === 0 ? ok(check, words) : [{ ...fail(check, words), mend: null }, ...faults];
        },
        { ...place, mend: build },
      );
    }),
  );
  return { rows, sound, judged };
}

/** None where there is no folder: nothing was built yet. */
async function idsIn(folder: string): Promise<readonly string[]> {
  try {
    return await bundleFolders(folder);
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** Arms that need something besides the skill: a git ref, other skills. */
export function armRows({ evaluation, skills }: Config, place: Place): Promise<readonly Row[]> {
  return together(evaluation.arms.flatMap((arm) => armChecks(arm, skills, place)));
}

function armChecks(
  { id, treatment }: ArmSpec,
  skills: Config["skills"],
  { signal, cwd }: Place,
): readonly Promise<readonly Row[]>[] {
  const check = `arm ${id}`;
  switch (treatment.kind) {
    case "version":
      return skills.map(({ folder }) => {
        const log = `git -C ${shellWord(relative(cwd, folder) || ".")} log --oneline -- .`;
        return checked(
          check,
          async (own) => {
            const { commit } = await readGitTree(folder, treatment.ref, own);
            return ok(check, `${basename(folder)} at ${treatment.ref} is ${commit.slice(0, 12)}`);
          },
          { signal, mend: log },
        );
      });
    case "pack":
      return treatment.folders.map((folder) =>
        checked(
          check,
          async () =>
            ok(check, `${basename(folder)} has ${(await readDelivery(folder)).files.length} file(s)`),
          { signal, mend: `ls ${shellWord(relative(cwd, folder) || ".")}` },
        ),
      );
    case "without_skill":
    case "with_skill":
    case "placebo":
    case "ablation":
    case "ablations":
      return [];
  }
}

const threeJudges = "judge.models: [vendor-a/model, vendor-b/model, vendor-c/model]";

/** `judged`: benchmarks whose grader asks judges. */
export function judgeRow({ judge, evaluation }: Config, judged: number): Row {
  const { models } = judge;
  const asked = judged === 0 ? "no benchmark asks them" : `${judged} benchmark(s) ask them`;
  if (models.length !== 3) {
    const words = `${models.length} of 3 named; ${asked}`;
    return judged > 0
      ? fail("judges", words, threeJudges)
      : warn("judges", `${words}, and none can be built that does`, threeJudges);
  }
  const doubts = [...panelDoubts(models, evaluation.models), ...familyDoubts(models, evaluation.models)];
  if (doubts.length > 0) return warn("judges", doubts.join(" "), threeJudges);
  return ok("judges", `3 of 3 named, from three vendors that are not under test; ${asked}`);
}

/** A judge likes what sounds like itself. One that is itself under test has been named already. */
function familyDoubts(judges: readonly string[], models: readonly string[]): readonly string[] {
  const vendor = (id: string): string => (id.includes("/") ? (id.split("/")[0] ?? id).toLowerCase() : "");
  const under = models.filter((id) => !isStandIn(id));
  return judges
    .filter((id) => !isStandIn(id) && !under.includes(id))
    .flatMap((id) => {
      const relatives = under.filter((other) => vendor(other) !== "" && vendor(other) === vendor(id));
      return relatives.length === 0
        ? []
        : [`judge.models: ${id} is of the same family as ${relatives.join(", ")}.`];
    });
}

/** `paid`: a model that may cost something takes part. */
export function budgetRow({ evaluation: { budgetUsd, deadlineHours } }: Config, paid: boolean): Row {
  const until = deadlineHours === undefined ? "" : `; no trial is begun after ${deadlineHours} h`;
  if (budgetUsd !== undefined) return ok("budget", `$${budgetUsd}${until}`);
  if (!paid) return ok("budget", `none, and only stand-ins take part${until}`);
  return warn(
    "budget",
    `none set: nothing but the key's own limit ends the spending${until}`,
    "evaluation.budgetUsd: 20",
  );
}
