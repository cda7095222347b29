import { z } from "zod";

const lineSchema = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
});

/** One line of what the engine says while it builds, pulls or imports. */
export type EngineLine = z.infer<typeof lineSchema>;

/** Takes the engine's JSON lines apart. What is no JSON is passed on as text. */
export async function* engineLines(source: AsyncIterable<unknown>): AsyncGenerator<EngineLine> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of source) {
    rest += chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : String(chunk);
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield parseLine(line);
  }
  if (rest.trim() !== "") yield parseLine(rest);
}

function parseLine(line: string): EngineLine {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : {};
  } catch {
    return { stream: line }; // older engines put plain text between
  }
}
