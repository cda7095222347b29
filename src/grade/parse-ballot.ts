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
 * YES or NO and no other word but "answer" or "verdict". Otherwise null. Models fence their JSON, add prose or ignore
 * the schema, so the schema alone cannot be relied on.
 */
export function parseBallot(reply: string): "yes" | "no" | null {
  const fenced = [...reply.matchAll(/^```[a-z]*\n(.*?)^```/gms)].at(-1)?.[1];
  return fromJson(reply) ?? (fenced === undefined ? null : fromJson(fenced)) ?? fromLastLine(reply);
}

function fromJson(text: string): "yes" | "no" | null {
  try {
    const parsed = replySchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.answer : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function fromLastLine(text: string): "yes" | "no" | null {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  if (line.length > maxAnswerLine) return null;
  const [, word] = /^\W*(?:answer|verdict)?\W*(yes|no)\W*$/i.exec(line) ?? [];
  if (word === undefined) return null;
  return word.toLowerCase() === "yes" ? "yes" : "no";
}
