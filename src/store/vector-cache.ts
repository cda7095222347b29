import { join } from "node:path";
import pLimit from "p-limit";
import { z } from "zod";
import { InfrastructureError, messageOf } from "../errors.ts";
import type { CachedVector, VectorCache } from "../embed/port.ts";
import { hashJson } from "../hash.ts";
import { readIfThere } from "./artefact.ts";
import { writeAtomic } from "./atomic.ts";

/** Each write waits for the disk; a few at a time keep it busy and stay far from the limit of open files. */
const writesAtOnce = 8;

const entrySchema = z.object({
  format: z.literal("skillproof/vector@1"),
  /** Of `vector`: a file with a flipped digit still parses. */
  sha256: z.string(),
  vector: z.array(z.number()).nullable(),
});

/**
 * One file per vector below `folder` (made when first needed); the folder can be deleted at any time. A write is a
 * rename, so that two programs and a kill in between leave whole files only.
 */
export function fileVectorCache(folder: string): VectorCache {
  const warnings: string[] = [];
  const fileOf = (key: string): string => join(folder, key.slice(0, 2), `${key}.json`);
  return {
    warnings,
    async get(keys) {
      const found: (CachedVector | undefined)[] = [];
      for (const key of keys) {
        const text = await readEntry(fileOf(key));
        const vector = text === undefined ? undefined : parseEntry(text);
        if (text !== undefined && vector === undefined) {
          warnings.push(`${fileOf(key)} is damaged and is not used; the vector is made again`);
        }
        found.push(vector);
      }
      return found;
    },
    async set(entries) {
      const limit = pLimit(writesAtOnce);
      const write = ({ key, vector }: (typeof entries)[number]): Promise<void> => {
        const entry = { format: "skillproof/vector@1", sha256: hashJson(vector), vector };
        return limit(() => writeWhole(fileOf(key), JSON.stringify(entry)));
      };
      await Promise.all(entries.map(write));
    },
  };
}

/** The vector, or undefined when the text is not a whole entry. */
function parseEntry(text: string): CachedVector | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const entry = entrySchema.safeParse(json);
  return entry.success && entry.data.sha256 === hashJson(entry.data.vector) ? entry.data.vector : undefined;
}

async function readEntry(file: string): Promise<string | undefined> {
  try {
    return await readIfThere(file);
  } catch (error) {
    throw new InfrastructureError(`cannot read the vector cache: ${messageOf(error)}`, { cause: error });
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  try {
    await writeAtomic(file, text);
  } catch (error) {
    throw new InfrastructureError(`cannot write the vector cache: ${messageOf(error)}`, { cause: error });
  }
}
