import { join } from "node:path";
import { z } from "zod";
import { gateRecordSchema } from "../artefacts/gate.ts";
import { readIfThere } from "./artefact.ts";
import { writeJson } from "./atomic.ts";

const entrySchema = z.object({
  record: gateRecordSchema,
  /** How long each check took on this machine; null for one that was not tried. */
  ms: z.record(z.string(), z.number().nullable()),
});
export type GateCacheEntry = z.infer<typeof entrySchema>;

/** What the gate found before, by a hash of everything it can depend on. Safe to delete. */
export type GateCache = {
  readonly read: (key: string) => Promise<GateCacheEntry | null>;
  readonly write: (key: string, entry: GateCacheEntry) => Promise<void>;
};

export function fileGateCache(folder: string): GateCache {
  const place = (key: string): string => join(folder, `${key}.json`);
  return {
    async read(key) {
      const text = await readIfThere(place(key));
      if (text === undefined) return null;
      const parsed = entrySchema.safeParse(JSON.parse(text));
      // Of another version: tried again and written over.
      return parsed.success ? parsed.data : null;
    },
    write: (key, entry) => writeJson(place(key), entry),
  };
}

/** Tries everything again, and keeps what it finds for next time. */
export function writeOnly(cache: GateCache): GateCache {
  return { read: () => Promise.resolve(null), write: cache.write };
}
