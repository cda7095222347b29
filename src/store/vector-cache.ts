import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { z } from "zod";
import { InfrastructureError, messageOf } from "../errors.ts";
import { hashJson } from "../hash.ts";
import { writeAtomic } from "./atomic.ts";

/** Each write waits for the disk; a few at a time keep it busy and stay far from the limit of open files. */
const writesAtOnce = 8;

type Vector = readonly number[] | null;

const entrySchema = z.object({
  format: z.literal("skillproof/vector@1"),
  /** Of `vector`: a file with a flipped digit still parses. */
  sha256: z.string(),
  vector: z.array(z.number()).nullable(),
});

/** A `VectorCache` on disk. */
export interface FileVectorCache {
  get(keys: readonly string[]): Promise<readonly (Vector | undefined)[]>;
  set(entries: readonly { readonly key: string; readonly vector: Vector }[]): Promise<void>;
  /** What was found damaged so far, one sentence per file. Such a file counts as absent and is written anew. */
  readonly warnings: readonly string[];
}

/**
 * One file per vector below `folder` (made when first needed); the folder can be deleted at any time. A write is a
 * rename, so that two programs and a kill in between leave whole files only.
 */
export function fileVectorCache(folder: string): FileVectorCache {
  const warnings: string[] = [];
  const fileOf = (key: string): string => join(folder, key.slice(0, 2), `${key}.json`);
  return {
    warnings,
    async get(keys) {
      const found: (Vector | undefined)[] = [];
      for (const key of keys) {
        const text = await readIfThere(fileOf(key));
        const vector = text === null ? undefined : parseEntry(text);
        if (text !== null && vector === undefined) {
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
function parseEntry(text: string): Vector | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const entry = entrySchema.safeParse(json);
  return entry.success && entry.data.sha256 === hashJson(entry.data.vector) ? entry.data.vector : undefined;
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
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
