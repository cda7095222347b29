import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { SnapshotRef } from "../artefacts/trial.ts";

/**
 * Writes a tar to `path`, compressed, never holding it in memory. The hash and the size are of the plain tar. The
 * sandbox caps what it sends (sandbox/snapshot-limits.ts); a source that fails fails this with its own error.
 */
export async function spoolSnapshot(tar: AsyncIterable<Uint8Array>, path: string): Promise<SnapshotRef> {
  await mkdir(dirname(path), { recursive: true });
  const hash = createHash("sha256");
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(
    Readable.from(tar, { objectMode: false }),
    meter,
    createGzip({ level: 3 }),
    createWriteStream(path),
  );
  return { sha256: hash.digest("hex"), bytes };
}

/** The plain tar of a spooled snapshot, as a stream. */
export function openSnapshot(path: string): AsyncIterable<Uint8Array> {
  const source = createReadStream(path);
  const plain = createGunzip();
  source.on("error", (error) => plain.destroy(error));
  return source.pipe(plain);
}
