import { z } from "zod";
import type { Capture, CommandOutcome } from "./port.ts";
import { SandboxError } from "./port.ts";

const perStream = z.object({ o: z.number().int(), e: z.number().int(), a: z.number().int() });

const commandReplySchema = z.object({
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  outOfMemory: z.boolean(),
  leftProcesses: z.boolean(),
  seconds: z.number(),
  /** Bytes of each stream that are head; what came beyond them is tail. */
  heads: perStream,
  totals: perStream,
});

const transferReplySchema = z.object({ code: z.number().int(), note: z.string() });

/** The end of a file or tar request: the child's exit code and what it said on stderr. */
export type TransferReply = z.infer<typeof transferReplySchema>;

/** What the server calls the streams of a command: stdout, stderr and descriptor 3. */
export type StreamKind = "o" | "e" | "a";

export function parseTransferReply(payload: Uint8Array): TransferReply {
  return parse(transferReplySchema, payload);
}

export function parseCommandReply(
  payload: Uint8Array,
  streams: Readonly<Record<StreamKind, Uint8Array>>,
): CommandOutcome {
  const { heads, totals, ...outcome } = parse(commandReplySchema, payload);
  const capture = (kind: StreamKind): Capture => ({
    head: streams[kind].subarray(0, heads[kind]),
    tail: streams[kind].subarray(heads[kind]),
    totalBytes: totals[kind],
  });
  return { ...outcome, stdout: capture("o"), stderr: capture("e"), descriptor3: capture("a") };
}

function parse<T>(schema: z.ZodType<T>, payload: Uint8Array): T {
  try {
    return schema.parse(JSON.parse(new TextDecoder().decode(payload)));
  } catch (cause) {
    throw new SandboxError("the tool server sent a reply that is none", { cause });
  }
}
