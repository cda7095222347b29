import { z } from "zod";

const replySchema = z.object({ answer: z.string() });
/** Longer last lines are prose, not an answer. */
const maxAnswerLine = 80;

/**
 * A judge's answer, one of `words` (lower case letters), by the first rung that holds: the reply is JSON; its last
 * fenced block is JSON; its last line is one of them and no other word but "answer" or "verdict". Otherwise null, as when
 * the block says one thing and the last line another. Models fence their JSON, add prose or ignore the schema, so the
 * schema alone cannot be relied on.
 */
export function parseAnswer<Word extends string>(reply: string, words: readonly Word[]): Word | null {
  const whole = fromJson(reply, words);
  if (whole !== null) return whole;
  const block = [...reply.matchAll(/^```[a-z]*[ \t\r]*\n(.*?)^```/gims)].at(-1)?.[1];
  const fenced = block === undefined ? null : fromJson(block, words);
  const last = fromLastLine(reply, words);
  if (fenced !== null && last !== null && fenced !== last) return null;
  return fenced ?? last;
}

function fromJson<Word extends string>(text: string, words: readonly Word[]): Word | null {
  try {
    const parsed = replySchema.safeParse(JSON.parse(text));
    return parsed.success ? wordIn(parsed.data.answer.trim(), words) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function fromLastLine<Word extends string>(text: string, words: readonly Word[]): Word | null {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  if (line.length > maxAnswerLine) return null;
  // Not \W, which would take the letters of other alphabets for punctuation, and with them their word for "not".
  const around = "[^\\p{L}\\p{N}]*";
  const shape = new RegExp(`^${around}(?:answer|verdict)?${around}(${words.join("|")})${around}$`, "iu");
  return wordIn(shape.exec(line)?.[1] ?? "", words);
}

function wordIn<Word extends string>(text: string, words: readonly Word[]): Word | null {
  return words.find((word) => word === text.toLowerCase()) ?? null;
}
