import { posix } from "node:path";
import { z } from "zod";
import type { Activation } from "../artefacts/activation.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import { namedFiles } from "./named-files.ts";
import type { PlacedSkill } from "./treatments/deliver.ts";

/** Shorter lines stand in other texts by chance. */
const leastLineLength = 24;

/** A file of a skill by where it is in the container. */
type Placed = { readonly at: string; readonly skill: string; readonly path: string };
type Opening = { readonly at: string; readonly turn: number; readonly how: "named" | "shown" };

const readSchema = z.object({ path: z.string() });
const bashSchema = z.object({ command: z.string() });

/**
 * Which files of the skills the agent opened, and when, from its tool calls: a file that read_file or a command names,
 * except one that only lists or measures files, and a file of which an answer shows a line that no other has, however
 * it was come by. What a command makes of variables is seen only by what it shows.
 */
export function activationOf(
  transcript: readonly TranscriptLine[],
  skills: readonly PlacedSkill[],
): readonly Activation[] {
  const placed = skills.flatMap(({ skill, root }) =>
    skill.files.map(({ path }) => ({ at: `${root}/${path}`, skill: skill.name, path })),
  );
  const openings = findOpenings(transcript, placed, ownLines(skills));
  return skills.map(({ skill }) => activationIn(skill.name, skill.file, placed, openings));
}

function activationIn(
  skill: string,
  file: string,
  placed: readonly Placed[],
  openings: readonly Opening[],
): Activation {
  const own = new Map(placed.filter((one) => one.skill === skill).map(({ at, path }) => [at, path]));
  const opened: Activation["opened"] = [];
  for (const { at, turn, how } of openings) {
    const path = own.get(at);
    if (path === undefined || opened.some((known) => known.path === path)) continue;
    opened.push({ path, turn, how });
  }
  return {
    skill,
    turn: opened[0]?.turn ?? null,
    instructionsTurn: opened.find(({ path }) => path === file)?.turn ?? null,
    opened,
  };
}

/** In order of the answers; a call without an answer, or one that failed before it did anything, opens nothing. */
function findOpenings(
  transcript: readonly TranscriptLine[],
  placed: readonly Placed[],
  lines: ReadonlyMap<string, string>,
): readonly Opening[] {
  const paths = placed.map(({ at }) => at);
  const calls = new Map<string, { readonly arguments: string }>();
  const openings: Opening[] = [];
  let turn = 0;
  for (const line of transcript) {
    if (line.kind === "assistant") {
      turn++;
      for (const call of line.toolCalls) calls.set(call.id, call);
    }
    if (line.kind !== "tool") continue;
    const call = calls.get(line.toolCallId);
    if (call === undefined) continue;
    const named = namedIn(line, call.arguments, paths).map((at) => ({ at, turn, how: "named" as const }));
    openings.push(...named, ...shownIn(line.text, lines).map((at) => ({ at, turn, how: "shown" as const })));
  }
  return openings;
}

function namedIn(
  answer: Extract<TranscriptLine, { kind: "tool" }>,
  args: string,
  paths: readonly string[],
): readonly string[] {
  switch (answer.name) {
    case "read_file": {
      const call = readSchema.safeParse(parsed(args));
      if (!call.success || answer.text.startsWith("Cannot read:")) return [];
      const at = posix.resolve("/workspace", call.data.path);
      return paths.includes(at) ? [at] : [];
    }
    case "bash": {
      const call = bashSchema.safeParse(parsed(args));
      return call.success ? namedFiles(call.data.command, paths) : [];
    }
    default:
      return [];
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function shownIn(text: string, lines: ReadonlyMap<string, string>): readonly string[] {
  const found = text.split("\n").flatMap((line) => lines.get(plainLine(line)) ?? []);
  return [...new Set(found)];
}

/** Of a longer line only the beginning is compared: an answer of one huge line must not take minutes. */
const mostCompared = 2000;

/** Without what grep, cat -n and nl put before a line, and without its indentation. */
function plainLine(line: string): string {
  return line
    .slice(0, mostCompared)
    .replace(/^(?:[^\s:]*\/skill\/[^:]*[:-])?\s*(?:\d+[\t:-])?/, "")
    .trim();
}

/** Long lines that one file alone has, with where it is. */
function ownLines(skills: readonly PlacedSkill[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string | null>();
  for (const { skill, root } of skills) {
    for (const entry of skill.files) {
      if (entry.kind !== "file" || entry.bytes.includes(0)) continue;
      for (const line of new TextDecoder().decode(entry.bytes).split(/\r\n|\r|\n/)) {
        const plain = plainLine(line);
        if (plain.length < leastLineLength) continue;
        const at = `${root}/${entry.path}`;
        const owner = owners.get(plain);
        owners.set(plain, owner === undefined || owner === at ? at : null);
      }
    }
  }
  return new Map([...owners].flatMap(([line, at]) => (at === null ? [] : [[line, at] as const])));
}
