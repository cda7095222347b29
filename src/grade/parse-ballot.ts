import { z } from "zod";

const replySchema = z.object({
  answer: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(["yes", "no"])),
});
/** Longer last lines are prose, not an answer. */
const maxAnswerLine = 80;

/**
 * A judge's answer, by the first rung that holds: the reply is JSON; its last fenced block is JSON; its last line is
 * YES or NO and no other word but "answer" or "verdict". Otherwise null, as when the block says one thing and the
 * last line another. Models fence their JSON, add prose or ignore the schema, so the schema alone cannot be relied on.
 */
export function parseBallot(reply: string): Vote | null {
  const whole = fromJson(reply);
  if (whole !== null) return whole;
  const block = [...reply.matchAll(/^```[a-z]*[ \t\r]*\n(.*?)^```/gims)].at(-1)?.[1];
  const fenced = block === undefined ? null : fromJson(block);
  const last = fromLastLine(reply);
  if (fenced !== null && last !== null && fenced !== last) return null;
  return fenced ?? last;
}

type Vote = "yes" | "no";

function fromJson(text: string): Vote | null {
  try {
    const parsed = replySchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.answer : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function fromLastLine(text: string): Vote | null {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  if (line.length > maxAnswerLine) return null;
  // Not \W, which would take the letters of other alphabets for punctuation, and with them their word for "not".
  const [, word] =
    /^[^\p{L}\p{N}]*(?:answer|verdict)?[^\p{L}\p{N}]*(yes|no)[^\p{L}\p{N}]*$/iu.exec(line) ?? [];
  if (word === undefined) return null;
  return word.toLowerCase() === "yes" ? "yes" : "no";
}
