import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { UserError } from "../errors.ts";
import { readIfThere } from "./artefact.ts";

/** One request and what came back, without key, account or anything else that is nobody's business. */
export const exchangeSchema = z.object({
  /** Hash of what opened its conversation and what it was for; of the whole request where there is no conversation. */
  conversation: z.string(),
  /** 1-based; 1 where there is no conversation. */
  turn: z.number().int().positive(),
  /** Hash of the request's body: a replay that asks otherwise took another course. */
  bodyHash: z.string(),
  method: z.string(),
  path: z.string(),
  request: z.json(),
  /** Null when no answer came: then `failure` says why. */
  status: z.number().int().nullable(),
  failure: z.enum(["connection", "deadline"]).nullable(),
  headers: z.record(z.string(), z.string()),
  /** Text of the answer. */
  body: z.string(),
});
export type Exchange = z.infer<typeof exchangeSchema>;

/** exchanges.jsonl: appended to as requests are answered. */
export class ExchangeFile {
  private readonly file: string;
  private queue: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.file = file;
  }

  /** Resolves when the line is on disk. */
  append(exchange: Exchange): Promise<void> {
    const line = `${JSON.stringify(exchange)}\n`;
    this.queue = this.queue.then(async () => {
      await mkdir(dirname(this.file), { recursive: true });
      await appendFile(this.file, line);
    });
    return this.queue;
  }
}

/** Every exchange of a recording, in the order in which they were answered. Throws `UserError` when there is none. */
export async function readExchanges(file: string): Promise<readonly Exchange[]> {
  const text = await readIfThere(file);
  if (text === undefined) {
    throw new UserError(
      `${file}: no recording there. Make one with models.record, or correct models.replay.`,
    );
  }
  // A kill in mid-append leaves a torn last line.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line, index) => parseExchange(line, `${file}:${index + 1}`));
}

function parseExchange(line: string, place: string): Exchange {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new UserError(`${place}: not JSON. Record again.`, { cause: error });
  }
  const parsed = exchangeSchema.safeParse(value);
  if (!parsed.success) throw new UserError(`${place}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
