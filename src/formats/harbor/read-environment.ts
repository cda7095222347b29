import { posix } from "node:path";
import { type FileTree, overlay, type TreeEntry } from "../../artefacts/tree.ts";
import type { Loss } from "../losses.ts";
import { type Copied, copiedFiles } from "./copied-files.ts";
import { type Instruction, instructionsOf } from "./dockerfile.ts";
import { readRun } from "./read-run.ts";
import { bytesOf, strictText } from "./strict-text.ts";
import { printed } from "../printed.ts";

/** What of a Harbor task's `environment/` becomes a workspace. */
export type Environment = {
  /** Absolute, where the agent works; null when it is not known. */
  readonly workdir: string | null;
  readonly fixtures: FileTree;
  readonly losses: readonly Loss[];
  /** Why the task cannot be a bundle. */
  readonly reasons: readonly string[];
};

/** Folders that are laid out anew, so that none can be a workspace. */
const taken = ["/", "/tests", "/logs", "/solution"];

type Reading = {
  readonly context: FileTree;
  readonly losses: Loss[];
  readonly reasons: string[];
  readonly copies: Copied[];
  /** Absolute, as WORKDIR and mkdir made them. */
  readonly folders: Set<string>;
  workdir: string | null;
  images: number;
};

/** `context` is `environment/`; `workdir` what task.toml says, which wins over the Dockerfile. */
export function readEnvironment(context: FileTree, workdir: string | null): Environment {
  const reading: Reading = {
    ...{ context, losses: [], reasons: [], copies: [], folders: new Set<string>(), workdir: null, images: 0 },
  };
  const bytes = bytesOf(context, "Dockerfile");
  const text = bytes === undefined ? undefined : strictText(bytes);
  if (text === undefined)
    reading.reasons.push(
      "environment/Dockerfile: missing. It says which files the agent starts from; what a ready image holds cannot be read.",
    );
  else if (text === null) reading.reasons.push("environment/Dockerfile: not UTF-8 text.");
  else {
    if (/^\s*#\s*escape\s*=/im.test(text)) refuse(reading, 1, "another escape character is not read");
    for (const instruction of instructionsOf(text)) readInstruction(instruction, reading);
    if (reading.images !== 1 && reading.reasons.length === 0)
      reading.reasons.push(`environment/Dockerfile: ${reading.images} FROM lines; one is read.`);
  }
  if (context.some(({ path }) => path === ".dockerignore"))
    reading.losses.push({ part: "environment/.dockerignore", words: "not applied" });
  return environmentOf(reading, workdir ?? reading.workdir);
}

function environmentOf(reading: Reading, workdir: string | null): Environment {
  const { losses, reasons } = reading;
  const nowhere = { workdir: null, fixtures: [], losses };
  if (reasons.length > 0) return { ...nowhere, reasons };
  if (workdir === null) {
    const words =
      "environment/Dockerfile: no WORKDIR, so where the agent works depends on the base image. Add the line, or [environment] workdir to task.toml.";
    return { ...nowhere, reasons: [words] };
  }
  if (taken.includes(workdir))
    return {
      ...nowhere,
      reasons: [`the agent works in ${workdir}, which cannot be a workspace. Use a folder of its own.`],
    };
  const outside = reading.copies.filter(({ path }) => !path.startsWith(`${workdir}/`));
  const faults = outside.map(
    ({ line, path }) =>
      `environment/Dockerfile, line ${line}: puts ${printed(path)} outside ${printed(workdir)}; only the workspace is the bundle's. Copy it below that folder.`,
  );
  const fixtures = reading.copies.map(({ entry, path }): TreeEntry => ({
    ...entry,
    path: path.slice(workdir.length + 1),
  }));
  // Of two copies to one name the later holds.
  return { workdir, fixtures: overlay([], fixtures), losses, reasons: [...new Set(faults)].slice(0, 20) };
}

function readInstruction(instruction: Instruction, reading: Reading): void {
  const { line, name, rest } = instruction;
  const lose = (words: string): void => {
    reading.losses.push({ part: `environment/Dockerfile, line ${line}: ${name} ${printed(rest)}`, words });
  };
  switch (name) {
    case "FROM":
      reading.images++;
      lose("replaced by the sandbox's image (Debian bookworm); programs it lacks go under sandbox.packages");
      return;
    case "WORKDIR":
      readWorkdir(instruction, reading);
      return;
    case "COPY":
    case "ADD":
      readCopy(instruction, reading);
      return;
    case "RUN": {
      const run = readRun(rest);
      for (const words of run.losses) lose(words);
      for (const folder of run.folders) reading.folders.add(posix.resolve(reading.workdir ?? "/", folder));
      for (const words of run.reasons) refuse(reading, line, words);
      return;
    }
    case "ENV":
      lose("not set: nothing but the task reaches the agent, and a grader has an environment of its own");
      return;
    case "ARG":
    case "LABEL":
    case "MAINTAINER":
    case "EXPOSE":
    case "STOPSIGNAL":
      lose("without meaning here");
      return;
    case "USER":
      lose("everything in the workspace belongs to the agent's user, who is not root");
      return;
    case "CMD":
      lose("not started: the container holds the agent's commands and nothing else");
      return;
    default:
      refuse(
        reading,
        line,
        `${printed(name)} is not read. Take it out, or put what it makes into the folder`,
      );
  }
}

function readWorkdir({ line, rest }: Instruction, reading: Reading): void {
  if (/[$"'\s]/.test(rest) || rest === "") {
    refuse(
      reading,
      line,
      `WORKDIR ${printed(rest)}: only a plain path is read, without variables and quotes`,
    );
    return;
  }
  reading.workdir = posix.resolve(reading.workdir ?? "/", rest);
  reading.folders.add(reading.workdir);
}

function readCopy(instruction: Instruction, reading: Reading): void {
  const copied = copiedFiles(instruction, reading.context, {
    workdir: reading.workdir ?? "/",
    isFolder: (path) =>
      reading.folders.has(path) || reading.copies.some((earlier) => earlier.path.startsWith(`${path}/`)),
  });
  for (const words of copied.reasons) refuse(reading, instruction.line, words);
  for (const words of copied.losses) {
    const part = `environment/Dockerfile, line ${instruction.line}: ${instruction.name} ${printed(instruction.rest)}`;
    reading.losses.push({ part, words });
  }
  reading.copies.push(...copied.files);
}

function refuse(reading: Reading, line: number, words: string): void {
  reading.reasons.push(`environment/Dockerfile, line ${line}: ${words}.`);
}
