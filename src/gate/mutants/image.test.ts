import { crc32, deflateSync, inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { randomFrom } from "../../seed.ts";
import { mutateImage } from "./image.ts";
import type { Change } from "./mutant.ts";

type Spec = {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  readonly type?: number;
  readonly interlaced?: boolean;
  /** Filter and bytes of each row. */
  readonly rows: readonly (readonly number[])[] | Uint8Array;
  readonly palette?: readonly number[];
  /** The pixels come in so many pieces. */
  readonly pieces?: number;
};

const signature = Buffer.from("\u0089PNG\r\n\u001a\n", "latin1");

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function png({
  width,
  height,
  depth = 8,
  type = 2,
  interlaced = false,
  rows,
  palette,
  pieces = 1,
}: Spec): Uint8Array {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, type, 0, 0, interlaced ? 1 : 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const pixels = deflateSync(rows instanceof Uint8Array ? rows : Buffer.from(rows.flat()));
  const size = Math.ceil(pixels.length / pieces);
  const parts = Array.from({ length: pieces }, (_, at) => pixels.subarray(at * size, (at + 1) * size));
  return new Uint8Array(
    Buffer.concat([
      signature,
      chunk("IHDR", header),
      ...(palette === undefined ? [] : [chunk("PLTE", Uint8Array.from(palette))]),
      chunk("tEXt", Buffer.from("Comment\0a")),
      ...parts.map((part) => chunk("IDAT", part)),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  );
}

async function changesOf(bytes: Uint8Array): Promise<readonly Change[]> {
  return mutateImage({ path: "a b.png", bytes, mode: 0o644 }, { mostPerKind: 2, random: randomFrom(7) });
}

/** Reads as a strict reader would: every check sum has to be right. */
function read(bytes: Uint8Array | null | undefined): { types: string[]; header: number[]; rows: number[] } {
  const file = Buffer.from(bytes ?? []);
  expect(file.subarray(0, 8)).toEqual(signature);
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    expect(file.readUInt32BE(at + 8 + length)).toBe(crc32(file.subarray(at + 4, at + 8 + length)));
    const type = file.toString("latin1", at + 4, at + 8);
    chunks.push({ type, data: file.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  const pixels = Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data));
  return {
    types: chunks.map(({ type }) => type),
    header: [...(chunks[0]?.data ?? [])],
    rows: [...inflateSync(pixels)],
  };
}

const white = 255;

test.each<{ what: string; spec: Spec; rows: number[] }>([
  {
    what: "grey",
    spec: {
      width: 2,
      height: 2,
      type: 0,
      rows: [
        [0, 1, 2],
        [0, 3, 4],
      ],
    },
    rows: [0, white, white, 0, white, white],
  },
  {
    what: "colour",
    spec: {
      width: 1,
      height: 2,
      rows: [
        [1, 9, 9, 9],
        [4, 1, 1, 1],
      ],
    },
    rows: [0, white, white, white, 0, white, white, white],
  },
  {
    what: "colour with transparency",
    spec: { width: 1, height: 1, type: 6, rows: [[0, 0, 0, 0, 0]] },
    rows: [0, white, white, white, white],
  },
  {
    what: "grey of 16 bits with transparency",
    spec: { width: 1, height: 1, type: 4, depth: 16, rows: [[0, 1, 2, 3, 4]] },
    rows: [0, white, white, white, white],
  },
  {
    what: "one bit",
    spec: { width: 9, height: 1, type: 0, depth: 1, rows: [[0, 0x55, 0x80]] },
    rows: [0, white, white],
  },
  { what: "white", spec: { width: 2, height: 1, type: 0, rows: [[0, white, white]] }, rows: [0, 0, 0] },
  {
    what: "white through filters",
    spec: {
      width: 2,
      height: 2,
      type: 0,
      rows: [
        [1, white, 0],
        [2, 0, 0],
      ],
    },
    rows: [0, 0, 0, 0, 0, 0],
  },
  {
    what: "white of one bit, the rest of its byte black",
    spec: { width: 1, height: 1, type: 0, depth: 1, rows: [[0, 0x80]] },
    rows: [0, 0],
  },
  {
    what: "a palette's second colour",
    spec: { width: 2, height: 1, type: 3, palette: [1, 2, 3, 4, 5, 6], rows: [[0, 0, 1]] },
    rows: [0, 0, 0],
  },
  {
    what: "in pieces",
    spec: { width: 2, height: 1, type: 0, pieces: 3, rows: [[0, white, white]] },
    rows: [0, 0, 0],
  },
  {
    what: "interlaced",
    spec: { width: 1, height: 1, type: 0, interlaced: true, rows: [[0, 7]] },
    rows: [0, white],
  },
])("an image that is $what is blanked", async ({ spec, rows }) => {
  const bytes = png(spec);
  const changes = await changesOf(bytes);
  expect(changes.map(({ kind }) => kind)).toEqual(["image-blanked"]);
  const blank = read(changes[0]?.bytes);
  expect(blank.rows).toEqual(rows);
  expect(blank.header).toEqual([...read(bytes).header.slice(0, 12), 0]);
  expect(blank.types).toEqual(["IHDR", ...(spec.palette === undefined ? [] : ["PLTE"]), "IDAT", "IEND"]);
  expect(changes[0]?.words).toContain(`${spec.width} × ${spec.height} pixels`);
});

const one: Spec = { width: 1, height: 1, type: 0, rows: [[0, 7]] };

test.each([
  {
    what: "a palette's first colour alone",
    bytes: png({ ...one, type: 3, palette: [1, 2, 3], rows: [[0, 0]] }),
  },
  { what: "a palette that is missing", bytes: png({ ...one, type: 3 }) },
  { what: "a size that nobody can hold", bytes: png({ ...one, width: 2 ** 31 - 1, height: 2 ** 31 - 1 }) },
  { what: "no size", bytes: png({ ...one, width: 0 }) },
  { what: "a kind that there is not", bytes: png({ ...one, type: 5 }) },
  { what: "a header that is cut off", bytes: png(one).subarray(0, 20) },
  { what: "another format", bytes: Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16) },
  { what: "nothing", bytes: new Uint8Array() },
])("an image with $what is left alone", async ({ bytes }) => {
  expect(await changesOf(bytes)).toEqual([]);
});

test("pixels that cannot be unpacked, or are too many, are replaced", async () => {
  const bomb = png({ ...one, rows: new Uint8Array(3_000_000) });
  const damaged = png(one).map((byte, at) => (at > 60 && at < 64 ? byte ^ 0xff : byte));
  for (const bytes of [bomb, damaged])
    expect(read((await changesOf(bytes))[0]?.bytes).rows).toEqual([0, white]);
});

test("the largest image that is blanked", async () => {
  const [width, height] = [4095, 4096];
  const rows = Buffer.alloc((width + 1) * height);
  const changes = await changesOf(png({ width, height, type: 0, rows }));
  const size = changes[0]?.bytes?.subarray(16, 24);
  expect(size).toEqual(png({ width, height, type: 0, rows }).subarray(16, 24));
  expect(await changesOf(png({ width: width + 1, height, type: 0, rows }))).toEqual([]);
});
