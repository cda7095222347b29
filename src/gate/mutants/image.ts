import { crc32 } from "node:zlib";
import { unzlibSync, zlibSync } from "fflate";
import type { Mutator } from "./mutant.ts";

/** What stands in a PNG (W3C PNG, third edition, 11.2). */
type Png = {
  readonly width: number;
  readonly height: number;
  readonly colourType: number;
  readonly interlaced: boolean;
  /** The first chunk's data. */
  readonly header: Uint8Array;
  /** The chunks of palette and transparency, which colours are numbers in. */
  readonly palette: readonly Uint8Array[];
  /** The compressed pixels. */
  readonly pixels: Uint8Array;
  /** Of one pixel, at least 1. */
  readonly pixelBytes: number;
  /** Of one row of pixels, without its filter. */
  readonly rowBytes: number;
  /** The bits of a row's last byte that belong to pixels. */
  readonly lastByte: number;
};

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const channelsOf: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);
const indexed = 3;
/** Of pixels, unpacked: 2400 × 1600 in colour, with transparency. */
const mostBytes = 16 * 1024 * 1024;

/**
 * A PNG of the same size and kind in one colour: white, or black where it was white already. Other formats cannot be
 * written without their encoders.
 */
export const mutateImage: Mutator = ({ bytes }) => {
  const png = readPng(bytes);
  if (png === null || (png.rowBytes + 1) * png.height > mostBytes) return [];
  const rows = rowsOf(png);
  const has = (byte: number, at: number, fill: number): boolean =>
    ((byte ^ fill) & (at % png.rowBytes === png.rowBytes - 1 ? png.lastByte : 0xff)) === 0;
  // Of a palette only the first colour is sure to be there.
  const fills = png.colourType === indexed ? [0] : [0xff, 0];
  const fill = fills.find((each) => rows?.every((byte, at) => has(byte, at, each)) !== true);
  if (fill === undefined) return [];
  const words = `the image of ${png.width} × ${png.height} pixels became one of a single colour`;
  return [{ kind: "image-blanked", words, bytes: blankPng(png, fill) }];
};

function readPng(bytes: Uint8Array): Png | null {
  if (!signature.every((byte, at) => bytes[at] === byte)) return null;
  const chunks = [...chunksOf(bytes)];
  const header = chunks[0]?.data;
  if (chunks[0]?.type !== "IHDR" || header?.length !== 13) return null;
  const view = viewOf(header);
  const [width, height, bitDepth, colourType] = [
    view.getUint32(0),
    view.getUint32(4),
    view.getUint8(8),
    view.getUint8(9),
  ];
  const palette = ["PLTE", "tRNS"].flatMap(
    (type) => chunks.find((chunk) => chunk.type === type)?.whole ?? [],
  );
  const channels = channelsOf.get(colourType);
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(bitDepth) || width * height === 0) return null;
  if (colourType === indexed && palette.length === 0) return null;
  const pixels = concatenated(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data));
  const bits = channels * bitDepth;
  return {
    ...{ width, height, colourType, interlaced: view.getUint8(12) !== 0, header, palette, pixels },
    pixelBytes: Math.max(1, bits >> 3),
    rowBytes: Math.ceil((width * bits) / 8),
    lastByte: 0xff & (0xff << ((8 - ((width * bits) % 8)) % 8)),
  };
}

type Chunk = { readonly type: string; readonly data: Uint8Array; readonly whole: Uint8Array };

/** Up to where the file is cut off. */
function* chunksOf(bytes: Uint8Array): Generator<Chunk> {
  const view = viewOf(bytes);
  for (let at = signature.length; at + 12 <= bytes.length;) {
    const end = at + 12 + view.getUint32(at);
    if (end > bytes.length) return;
    const type = new TextDecoder("latin1").decode(bytes.subarray(at + 4, at + 8));
    yield { type, data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) };
    at = end;
  }
}

/** The pixels row by row without their filters; null where they are damaged or interlaced. */
function rowsOf({ pixels, height, rowBytes, pixelBytes, interlaced }: Png): Uint8Array | null {
  const filtered = interlaced ? null : unpacked(pixels, (rowBytes + 1) * height);
  if (filtered === null) return null;
  const rows = new Uint8Array(rowBytes * height);
  for (let row = 0; row < height; row++) {
    const filter = filtered[row * (rowBytes + 1)] ?? 0;
    const start = row * rowBytes;
    for (let at = start; at < start + rowBytes; at++) {
      const left = at - pixelBytes >= start ? (rows[at - pixelBytes] ?? 0) : 0;
      const up = rows[at - rowBytes] ?? 0;
      const upLeft = at - pixelBytes >= start ? (rows[at - rowBytes - pixelBytes] ?? 0) : 0;
      rows[at] = (filtered[at + row + 1] ?? 0) + predicted(filter, left, up, upLeft);
    }
  }
  return rows;
}

/** W3C PNG, third edition, 9.2. */
function predicted(filter: number, left: number, up: number, upLeft: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const [byLeft, byUp, byBoth] = [
        Math.abs(up - upLeft),
        Math.abs(left - upLeft),
        Math.abs(left + up - 2 * upLeft),
      ];
      if (byLeft <= byUp && byLeft <= byBoth) return left;
      return byUp <= byBoth ? up : upLeft;
    }
    default:
      return 0;
  }
}

function unpacked(pixels: Uint8Array, size: number): Uint8Array | null {
  try {
    const bytes = unzlibSync(pixels, { out: new Uint8Array(size) });
    return bytes.length === size ? bytes : null;
  } catch {
    // The reader throws for anything that is wrong with the pixels.
    return null;
  }
}

/** Packed by a program of ours, as the one of the system does not give the same bytes on every machine. */
function blankPng({ header, palette, height, rowBytes }: Png, fill: number): Uint8Array {
  const rows = new Uint8Array((rowBytes + 1) * height).fill(fill);
  for (let row = 0; row < height; row++) rows[row * (rowBytes + 1)] = 0;
  const plain = header.slice();
  // Not interlaced.
  plain[12] = 0;
  const pixels = zlibSync(rows, { level: 6 });
  return concatenated([
    signature,
    chunk("IHDR", plain),
    ...palette,
    chunk("IDAT", pixels),
    chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const named = concatenated([new TextEncoder().encode(type), data]);
  const framed = new Uint8Array(named.length + 8);
  framed.set(named, 4);
  viewOf(framed).setUint32(0, data.length);
  viewOf(framed).setUint32(named.length + 4, crc32(named));
  return framed;
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
