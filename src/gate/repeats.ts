import type { GateSettings } from "../artefacts/gate.ts";
import { type Random, randomFrom, shuffled } from "../seed.ts";
import type { GradeOptions } from "./check.ts";

/** A thing that a grading may find changed, and how a grader is made not to notice. */
export type CircumstanceKind = {
  /** As in "the time zone did it". */
  readonly name: string;
  /** What to tell the author of a grader that notices. */
  readonly cure: string;
};

export type Circumstance = {
  readonly kind: CircumstanceKind;
  /** `the time zone (Pacific/Kiritimati)` */
  readonly words: string;
  readonly options: GradeOptions;
  /** A command for bash that succeeds where the change can be made and shows; null where it always can. */
  readonly probe: string | null;
};

/** What lets waiting go on under libfaketime (docker/server/preloaded.c), then libfaketime itself. */
const shifting = {
  LD_PRELOAD: "/usr/local/lib/skillproof/preloaded.so:/usr/$LIB/faketime/libfaketime.so.1",
  // More than a leap year, so that every part of a date is another. Not FAKETIME_DONT_FAKE_MONOTONIC: it breaks sleeping.
  FAKETIME: "+400d",
};
const shiftedBy = Object.entries(shifting)
  .map(([name, value]) => `${name}='${value}'`)
  .join(" ");

const clock: CircumstanceKind = {
  name: "the clock",
  cure: "Take dates and times from the task and its files, never from the machine. (Files keep their times while the clock is changed, so do not compare the two either.)",
};
const zone: CircumstanceKind = {
  name: "the time zone",
  cure: "Set the zone yourself (`datetime.timezone.utc`; `sp-run --env TZ=UTC`), or compare moments instead of local times.",
};
const locale: CircumstanceKind = {
  name: "the locale",
  cure: "Set it yourself (`LC_ALL=C.UTF-8`; `sp-run --env LC_ALL=C.UTF-8`): it decides decimal signs, sorting, month names and upper case.",
};
const hashSeed: CircumstanceKind = {
  name: "the hash seed",
  cure: "Sort what comes out of a set or dict before it is compared or printed, or start candidate code with `sp-run --env PYTHONHASHSEED=0`.",
};
const fileOrder: CircumstanceKind = {
  name: "the order of files",
  cure: "Sort what lists a folder (os.listdir, glob, find, ls -U) before it is used.",
};
const coreCount: CircumstanceKind = {
  name: "the number of cores",
  cure: "Do not ask how many cores there are, and do not depend on what works at the same time as what.",
};
const load: CircumstanceKind = {
  name: "the load of the machine",
  cure: "Wait for a condition, not for a time, and give candidate code time limits that only a hanging program meets.",
};
const fileTimes: CircumstanceKind = {
  name: "the times of files",
  cure: "Look at what files hold, not at when they were written.",
};

/** Holding this still shows whether it is the hash seed that makes a grader waver: it differs from process to process. */
export const steadyHashSeed: Circumstance = hashSeedOf(0);

/** Every kind of change, with one or more ways of making it; numbers are fixed by the seed. */
function waysByKind(random: Random): readonly (readonly [Circumstance, ...Circumstance[]])[] {
  const numbers = [0, 1].map(() => 1 + Math.floor(random() * 1_000_000));
  return [
    [
      {
        kind: clock,
        words: `${clock.name} (400 days ahead)`,
        options: { conditions: { env: shifting } },
        probe: `test "$(${shiftedBy} date +%Y)" != "$(date +%Y)" && timeout 5 env ${shiftedBy} python3 -c 'import threading; threading.Event().wait(0.01)'`,
      },
    ],
    [zoneOf("Pacific/Kiritimati"), zoneOf("America/St_Johns")],
    [localeOf("tr_TR.UTF-8"), localeOf("de_DE.UTF-8")],
    [hashSeedOf(numbers[0] ?? 1), hashSeedOf(numbers[1] ?? 2)],
    [
      {
        kind: fileOrder,
        words: `${fileOrder.name} (written from last to first)`,
        options: { packing: { reversed: true } },
        probe: `mkdir one two && touch one/a && touch one/b && touch two/b && touch two/a && test "$(ls -U one)" != "$(ls -U two)"`,
      },
    ],
    [
      {
        kind: coreCount,
        words: `${coreCount.name} (one)`,
        options: { conditions: { cores: 1 } },
        probe: `test "$(nproc)" -gt 1`,
      },
    ],
    [
      {
        kind: load,
        words: `${load.name} (four busy processes)`,
        options: { load: 4 },
        probe: null,
      },
    ],
    [
      {
        kind: fileTimes,
        words: `${fileTimes.name} (March 2019)`,
        options: { packing: { mtimeMs: Date.UTC(2019, 2, 31, 1, 30) } },
        probe: null,
      },
    ],
  ];
}

function zoneOf(name: string): Circumstance {
  const probe = `test "$(TZ=${name} date +%z)" != "$(TZ=UTC0 date +%z)"`;
  return {
    kind: zone,
    words: `${zone.name} (${name})`,
    options: { conditions: { env: { TZ: name } } },
    probe,
  };
}

/** bash complains on stderr of a locale that is not there, and goes on in another. */
function localeOf(name: string): Circumstance {
  const probe = `test -z "$(LC_ALL=${name} bash -c : 2>&1)"`;
  const env = { LC_ALL: name };
  return { kind: locale, words: `${locale.name} (${name})`, options: { conditions: { env } }, probe };
}

function hashSeedOf(value: number): Circumstance {
  const env = { PYTHONHASHSEED: String(value) };
  const words = `${hashSeed.name} (PYTHONHASHSEED=${value})`;
  return { kind: hashSeed, words, options: { conditions: { env } }, probe: null };
}

/**
 * What each grading after the first, plain one finds changed. Every kind occurs: all in one where there is only one
 * grading, each with a grading of its own where there are enough, and in other ways beyond that. The same settings give
 * the same plan.
 */
export function planRepeats({
  seed,
  gradings,
}: Pick<GateSettings, "seed" | "gradings">): readonly (readonly Circumstance[])[] {
  const random = randomFrom(seed, "repeats");
  const kinds = shuffled(waysByKind(random), random);
  const groups = Math.max(1, gradings - 1);
  const planned: Circumstance[][] = Array.from({ length: groups }, () => []);
  for (let at = 0; at < Math.max(groups, kinds.length); at++) {
    const ways = kinds[at % kinds.length];
    const way = ways?.[Math.floor(at / kinds.length) % ways.length];
    if (way !== undefined) planned[at % groups]?.push(way);
  }
  return planned;
}

/** The options of a grading that finds all of these changed. */
export function combined(circumstances: readonly Circumstance[]): GradeOptions {
  return circumstances.reduce<GradeOptions>((all, { options }) => {
    const { conditions, packing, ...rest } = options;
    const env = { ...all.conditions?.env, ...conditions?.env };
    const both = { ...all.conditions, ...conditions, ...(Object.keys(env).length === 0 ? {} : { env }) };
    return {
      ...all,
      ...rest,
      ...(Object.keys(both).length === 0 ? {} : { conditions: both }),
      ...(packing === undefined ? {} : { packing: { ...all.packing, ...packing } }),
    };
  }, {});
}

/** The file that the probing script makes for each probe that succeeded, by the probe's place. */
function traceOf(at: number): string {
  return `circumstance-${at}-shows`;
}

/** For bash in an empty workspace: leaves a file for each of the circumstances that can be had there. */
export function probingScript(circumstances: readonly Circumstance[]): string {
  return circumstances
    .map(({ probe }, at) => `( ${probe ?? "true"} ) > /dev/null 2>&1 && touch ${traceOf(at)}`)
    .join("\n");
}

/**
 * Those of the circumstances that the probing script found not to be had. Names of files stand in an archive as they
 * are, and the script's are no part of each other.
 */
export async function absentBy(
  archive: AsyncIterable<Uint8Array>,
  circumstances: readonly Circumstance[],
): Promise<readonly Circumstance[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of archive) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  return circumstances.filter((_, at) => !bytes.includes(traceOf(at)));
}
