import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { SnapshotRef } from "../artefacts/trial.ts";

/** No workspace is larger than its capped mount, so a larger archive means that something is wrong below us. */
const maxTarBytes = 4 * 2 ** 30;

/** Writes a tar to `path`, compressed, never holding it in memory. The hash and the size are of the plain tar. */
export async function spoolSnapshot(tar: AsyncIterable<Uint8Array>, path: string): Promise<SnapshotRef> {
  await mkdir(dirname(path), { recursive: true });
  const hash = createHash("sha256");
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes > maxTarBytes) done(new Error(`snapshot over ${maxTarBytes} bytes`));
      else done(null, chunk);
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
