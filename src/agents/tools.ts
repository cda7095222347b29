import { posix } from "node:path";
import { z } from "zod";
import type { ToolCall, ToolSpec } from "../models/port.ts";
import type { CommandOutcome, Container } from "../sandbox/port.ts";
import { fileText, readLimitBytes } from "./file-text.ts";
import { captureText, outputLimitBytes, sharedLimits } from "./tool-output.ts";

export type ToolName = "bash" | "read_file" | "write_file";

/** What goes back to the model, never empty. `invalid`: unknown tool or arguments that do not fit; nothing was done. */
export type ToolAnswer =
  | { readonly kind: "done"; readonly tool: ToolName; readonly text: string }
  | { readonly kind: "invalid"; readonly text: string };

export type ToolContext = {
  readonly container: Container;
  /** For this one call: the command limit, or what is left of the trial if that is less. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** The tools of a loop: what is offered, and how a call is carried out. */
export type ToolSet = {
  readonly specs: readonly ToolSpec[];
  /** Throws `SandboxError` when the container is gone; every other trouble is an answer. */
  execute(call: ToolCall, context: ToolContext): Promise<ToolAnswer>;
};

const path = z
  .string()
  .min(1)
  .refine((text) => !text.includes("\0"), "must not hold a NUL character");
const bashSchema = z.strictObject({ command: z.string().min(1) });
const readSchema = z.strictObject({ path });
const writeSchema = z.strictObject({ path, content: z.string() });

const specs: readonly ToolSpec[] = [
  spec(
    "bash",
    "Runs a bash command in /workspace and returns its output and exit code. Standard input is empty. " +
      "Every call is a new shell.",
    { command: "The command line." },
  ),
  spec("read_file", "Returns the text of a file.", { path: "Absolute, or relative to /workspace." }),
  spec("write_file", "Writes a text file, replacing what is there. Missing folders are made.", {
    path: "Absolute, or relative to /workspace.",
    content: "The whole new content.",
  }),
];

function spec(name: ToolName, description: string, fields: Readonly<Record<string, string>>): ToolSpec {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([field, text]) => [field, { type: "string", description: text }]),
  );
  const parameters = {
    type: "object",
    properties,
    required: Object.keys(fields),
    additionalProperties: false,
  };
  return { name, description, parameters };
}

/** bash, read_file and write_file: all an agent under test has. */
export const agentTools: ToolSet = {
  specs,
  execute(call, context) {
    switch (call.name) {
      case "bash":
        return withArguments(call, bashSchema, ({ command }) => bash(command, context));
      case "read_file":
        return withArguments(call, readSchema, (args) => readFile(args.path, context));
      case "write_file":
        return withArguments(call, writeSchema, (args) => writeFile(args.path, args.content, context));
      default:
        return Promise.resolve({
          kind: "invalid",
          text: `There is no tool "${call.name}". The tools are bash, read_file and write_file. Nothing was done.`,
        });
    }
  },
};

async function withArguments<T>(
  call: ToolCall,
  schema: z.ZodType<T>,
  execute: (args: T) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const json = parseJson(call.arguments);
  const args = schema.safeParse(json);
  if (args.success) return execute(args.data);
  const faults = args.error.issues.map((issue) => [...issue.path, issue.message].join(": ")).join("; ");
  const what = json === undefined ? "the arguments are not valid JSON (were they cut off?)" : faults;
  const shape = JSON.stringify(specs.find(({ name }) => name === call.name)?.parameters);
  return {
    kind: "invalid",
    text: `Invalid call of ${call.name}: ${what}. Nothing was done. The schema: ${shape}`,
  };
}

async function bash(command: string, { container, timeoutMs, signal }: ToolContext): Promise<ToolAnswer> {
  const outcome = await container.run({ command, timeoutMs, maxOutputBytes: outputLimitBytes }, signal);
  return { kind: "done", tool: "bash", text: outcomeText(outcome) };
}

async function readFile(name: string, { container }: ToolContext): Promise<ToolAnswer> {
  const outcome = await container.readFile(inWorkspace(name), readLimitBytes);
  const text =
    outcome.kind === "read" ? fileText(outcome.bytes, outcome.totalBytes) : `Cannot read: ${outcome.reason}`;
  return { kind: "done", tool: "read_file", text };
}

async function writeFile(name: string, content: string, { container }: ToolContext): Promise<ToolAnswer> {
  const target = inWorkspace(name);
  const bytes = new TextEncoder().encode(content);
  const outcome = await container.writeFile(target, bytes);
  const text =
    outcome.kind === "written"
      ? `Wrote ${bytes.length} bytes to ${target}.`
      : `Cannot write: ${outcome.reason}`;
  return { kind: "done", tool: "write_file", text };
}

/** A call's outcome in words: the output first, then every circumstance on a line of its own. */
export function outcomeText(outcome: CommandOutcome): string {
  const { stdout, stderr } = outcome;
  const [outLimit, errLimit] = sharedLimits(stdout, stderr, outputLimitBytes);
  const out = captureText(stdout, outLimit).trimEnd();
  const err = captureText(stderr, errLimit).trimEnd();
  const output = [out, ...(err === "" ? [] : ["[stderr]", err])].filter((text) => text !== "");
  return [...(output.length === 0 ? ["(no output)"] : output), ...circumstances(outcome)].join("\n");
}

function circumstances(outcome: CommandOutcome): string[] {
  const { exitCode, signal, timedOut, outOfMemory, leftProcesses, seconds } = outcome;
  const lines: string[] = [];
  if (timedOut) lines.push(`[stopped after ${seconds.toFixed(0)} s: the time limit of a command]`);
  else if (signal !== null) lines.push(`[ended by signal ${signal}]`);
  if (outOfMemory) lines.push("[the container's memory limit was reached: a process was killed]");
  if (leftProcesses) lines.push("[it left processes running in the background]");
  if (exitCode !== null) lines.push(`[exit code ${exitCode}]`);
  return lines;
}

function inWorkspace(name: string): string {
  return posix.resolve("/workspace", name);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: said by the caller
  }
}
