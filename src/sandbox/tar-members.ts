import { SandboxError } from "./port.ts";
import {
  blockBytes,
  decodeHeader,
  decodeName,
  paxRecords,
  sparseExtents,
  type Extent,
} from "./tar-header.ts";

/** One member of an archive. `path` is null when its name is too long to hold or not UTF-8. */
export type TarMember = {
  readonly kind: "file" | "folder" | "link" | "hard link" | "other";
  readonly path: string | null;
  readonly target: string | null;
  readonly mode: number;
  /** Bytes once unpacked; holes of sparse files included. */
  readonly size: number;
  /** The unpacked bytes in pieces. May be left unread or half read; the walk skips what is left. */
  readonly content: AsyncIterable<Uint8Array>;
};

type ByteSource = {
  /** Exactly `count` bytes. Throws `SandboxError` when the archive ends before. */
  readonly take: (count: number) => Promise<Uint8Array>;
  /** One to `atMost` bytes, as they come. */
  readonly some: (atMost: number) => Promise<Uint8Array>;
  /** Reads to the end of the stream. */
  readonly drain: () => Promise<void>;
};

const maxNameBytes = 64 * 1024;
const zeros = new Uint8Array(64 * 1024);

/**
 * Walks a tar archive of unknown origin, holding one header and one piece at a time. Reads ustar, GNU (long names,
 * sparse files as `tar -S` writes them) and pax. Why not tar-stream's reader: it does not know sparse members, reads
 * the blocks of their maps as data and then takes file contents for headers, which the owner of the file can forge.
 * Throws `SandboxError` for a truncated or malformed archive; the two closing blocks are demanded.
 */
export async function* tarMembers(tar: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const source = byteSource(tar);
  let longPath: string | null | undefined;
  let longTarget: string | null | undefined;
  let pax = new Map<string, string>();
  for (;;) {
    const header = decodeHeader(await source.take(blockBytes));
    if (header === "end") {
      await finish(source);
      return;
    }
    if (header.type === "L" || header.type === "K") {
      const name = await longName(source, header.size);
      if (header.type === "L") longPath = name;
      else longTarget = name;
      continue;
    }
    if (header.type === "x" || header.type === "g") {
      const records = paxRecords(await boundedMetadata(source, header.size));
      if (header.type === "x") pax = records;
      continue;
    }
    const stored = pax.has("size") ? Number(pax.get("size")) : header.size;
    const extents = header.sparse ? await readExtents(source, header.sparse, stored) : null;
    const left = { bytes: stored };
    const path = longPath !== undefined ? longPath : (pax.get("path") ?? header.path);
    const sparseElsewhere = [...pax.keys()].some((key) => key.startsWith("GNU.sparse."));
    yield {
      kind: sparseElsewhere ? "other" : kindOf(header.type, path),
      path: path === null ? null : cleanPath(path),
      target: longTarget !== undefined ? longTarget : (pax.get("linkpath") ?? header.target),
      mode: header.mode,
      size: header.sparse?.realSize ?? stored,
      content: extents
        ? expanded(source, left, extents, header.sparse?.realSize ?? 0)
        : storedBytes(source, left),
    };
    while (left.bytes > 0) left.bytes -= (await source.some(left.bytes)).length;
    await source.take(padding(stored));
    longPath = undefined;
    longTarget = undefined;
    pax = new Map();
  }
}

function byteSource(tar: AsyncIterable<Uint8Array>): ByteSource {
  const iterator = tar[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array(0);
  const fill = async (): Promise<void> => {
    while (held.length === 0) {
      const next = await iterator.next();
      if (next.done === true)
        throw new SandboxError("the archive ends before its closing blocks: it is truncated");
      held = next.value;
    }
  };
  const some = async (atMost: number): Promise<Uint8Array> => {
    await fill();
    const piece = held.subarray(0, atMost);
    held = held.subarray(piece.length);
    return piece;
  };
  const take = async (count: number): Promise<Uint8Array> => {
    const whole = new Uint8Array(count);
    for (let filled = 0; filled < count;) {
      const piece = await some(count - filled);
      whole.set(piece, filled);
      filled += piece.length;
    }
    return whole;
  };
  const drain = async (): Promise<void> => {
    held = new Uint8Array(0);
    while ((await iterator.next()).done !== true);
  };
  return { take, some, drain };
}

async function finish(source: ByteSource): Promise<void> {
  if (decodeHeader(await source.take(blockBytes)) !== "end") {
    throw new SandboxError("the archive has one closing block instead of two: it is damaged");
  }
  await source.drain();
}

/** Null when the name is too long to hold; deep trees can have names of megabytes. */
async function longName(source: ByteSource, size: number): Promise<string | null> {
  if (size <= maxNameBytes) return decodeName(await boundedMetadata(source, size));
  for (let left = size + padding(size); left > 0;) left -= (await source.some(left)).length;
  return null;
}

async function boundedMetadata(source: ByteSource, size: number): Promise<Uint8Array> {
  if (size > maxNameBytes) throw new SandboxError(`the archive has an extended header of ${size} bytes`);
  const bytes = await source.take(size);
  await source.take(padding(size));
  return bytes;
}

async function readExtents(
  source: ByteSource,
  sparse: { readonly extents: readonly Extent[]; readonly more: boolean; readonly realSize: number },
  stored: number,
): Promise<readonly Extent[]> {
  const extents = [...sparse.extents];
  for (let more = sparse.more; more;) {
    const block = sparseExtents(await source.take(blockBytes), 0, 21);
    extents.push(...block.extents);
    more = block.more;
  }
  let end = 0;
  let total = 0;
  for (const extent of extents) {
    if (extent.offset < end) throw new SandboxError("the archive has a sparse file whose parts overlap");
    end = extent.offset + extent.length;
    total += extent.length;
  }
  if (total !== stored || end > sparse.realSize) {
    throw new SandboxError("the archive has a sparse file whose map does not fit its data");
  }
  return extents;
}

async function* storedBytes(source: ByteSource, left: { bytes: number }): AsyncGenerator<Uint8Array> {
  while (left.bytes > 0) {
    const piece = await source.some(left.bytes);
    left.bytes -= piece.length;
    yield piece;
  }
}

async function* expanded(
  source: ByteSource,
  left: { bytes: number },
  extents: readonly Extent[],
  realSize: number,
): AsyncGenerator<Uint8Array> {
  let position = 0;
  for (const extent of [...extents, { offset: realSize, length: 0 }]) {
    while (position < extent.offset) {
      const hole = zeros.subarray(0, Math.min(zeros.length, extent.offset - position));
      position += hole.length;
      yield hole;
    }
    for (const end = extent.offset + extent.length; position < end;) {
      const piece = await source.some(end - position);
      left.bytes -= piece.length;
      position += piece.length;
      yield piece;
    }
  }
}

function kindOf(type: string, path: string | null): TarMember["kind"] {
  switch (type) {
    case "0":
    case "7":
    case "S":
      // Tars from before ustar mark folders only by a closing slash.
      return path?.endsWith("/") === true ? "folder" : "file";
    case "1":
      return "hard link";
    case "2":
      return "link";
    case "5":
      return "folder";
    default:
      return "other";
  }
}

/** `./a//b/` is `a/b`; the root is empty. `..` and a leading slash stay, for the caller to refuse. */
function cleanPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}

function padding(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}
