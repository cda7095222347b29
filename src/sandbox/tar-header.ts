import { SandboxError } from "./port.ts";

export const blockBytes = 512;

/** A stretch of data in a sparse file; between two of them are zeros. */
export type Extent = { readonly offset: number; readonly length: number };

export type TarHeader = {
  /** The type flag as a character; `0` for the NUL of old archives. */
  readonly type: string;
  readonly path: string | null;
  readonly target: string | null;
  readonly mode: number;
  /** Bytes stored in the archive. */
  readonly size: number;
  /** Set for a GNU sparse file: the first part of its map, and its size once unpacked. */
  readonly sparse: {
    readonly extents: readonly Extent[];
    readonly more: boolean;
    readonly realSize: number;
  } | null;
};

/** Reads one 512-byte header block; `end` for a block of zeros. Field places: POSIX ustar and GNU tar's manual. */
export function decodeHeader(block: Uint8Array): TarHeader | "end" {
  if (block.every((byte) => byte === 0)) return "end";
  if (checksum(block) !== number(block, 148, 8)) {
    throw new SandboxError("the archive has a header whose checksum is wrong: it is damaged");
  }
  const flag = block[156] ?? 0;
  const type = flag === 0 ? "0" : String.fromCharCode(flag);
  const name = field(block, 0, 100);
  const isUstar = field(block, 257, 6).length === 5 && block[262] === 0;
  const prefix = isUstar ? field(block, 345, 155) : new Uint8Array(0);
  const map = type === "S" ? sparseExtents(block, 386, 4, 482) : null;
  return {
    type,
    path: decodeName(prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from("/"), name])),
    target: decodeName(field(block, 157, 100)),
    mode: number(block, 100, 8) & 0o7777,
    size: holdsData(type) ? number(block, 124, 12) : 0,
    sparse: map === null ? null : { ...map, realSize: number(block, 483, 12) },
  };
}

/** `count` pairs of offset and length from `at`; `more` when another block of the map follows. */
export function sparseExtents(
  block: Uint8Array,
  at: number,
  count: number,
  moreAt = 504,
): { readonly extents: readonly Extent[]; readonly more: boolean } {
  const extents: Extent[] = [];
  for (let place = at; place < at + count * 24; place += 24) {
    if (block[place] === 0) break;
    extents.push({ offset: number(block, place, 12), length: number(block, place + 12, 12) });
  }
  return { extents, more: block[moreAt] === 1 };
}

/** The records of a pax header: `<length> <key>=<value>\n`, length counted in bytes. */
export function paxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length && bytes[at] !== 0;) {
    const space = bytes.indexOf(0x20, at);
    const length = space < 0 ? 0 : Number(Buffer.from(bytes.subarray(at, space)).toString("latin1"));
    const record = decodeName(bytes.subarray(space + 1, at + length - 1));
    const equals = record?.indexOf("=") ?? -1;
    if (
      !Number.isInteger(length) ||
      length < 5 ||
      at + length > bytes.length ||
      record === null ||
      equals < 1
    ) {
      throw new SandboxError("the archive has a malformed pax header");
    }
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}

/** Text up to the first NUL; null when it is not UTF-8. */
export function decodeName(bytes: Uint8Array): string | null {
  const end = bytes.indexOf(0);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      end < 0 ? bytes : bytes.subarray(0, end),
    );
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Links, devices and folders may carry a size, but no data follows them. */
function holdsData(type: string): boolean {
  return !"123456".includes(type);
}

function field(block: Uint8Array, at: number, length: number): Uint8Array {
  const bytes = block.subarray(at, at + length);
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

/** Octal digits, or a big-endian integer when the first bit is set (GNU, sizes from 8 GiB on). */
function number(block: Uint8Array, at: number, length: number): number {
  const bytes = block.subarray(at, at + length);
  const value =
    ((bytes[0] ?? 0) & 0x80) !== 0
      ? bytes.subarray(1).reduce((sum, byte) => sum * 256 + byte, (bytes[0] ?? 0) & 0x7f)
      : octal(Buffer.from(bytes).toString("latin1"));
  if (!Number.isSafeInteger(value)) throw new SandboxError("the archive has a number that cannot be read");
  return value;
}

function octal(text: string): number {
  const digits = /^ *([0-7]*)[ \0]*/.exec(text)?.[1] ?? "";
  return digits === "" ? 0 : parseInt(digits, 8);
}

/** Sum of the header's bytes, its own field counted as spaces. */
function checksum(block: Uint8Array): number {
  let sum = 8 * 0x20;
  block.forEach((byte, at) => {
    if (at < 148 || at >= 156) sum += byte;
  });
  return sum;
}
