import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { readZip, writeZip } from "./zip.ts";

const text = strToU8("a paragraph ".repeat(50));
const members = { mimetype: strToU8("a/b"), "a b/ä.xml": text, "empty/": new Uint8Array() };
const sound = zipSync(members, { level: 9 });

test("an archive is read with its members in their order", () => {
  expect([...(readZip(sound) ?? [])]).toEqual(Object.entries(members));
});

test("what is written is read again, is not packed, and is the same in another time zone", () => {
  const written = writeZip(new Map(Object.entries(members)));
  expect([...(readZip(written) ?? [])]).toEqual(Object.entries(members));
  // A reader of OpenDocument finds its first member's name and content at these places.
  expect(Buffer.from(written.subarray(30, 41)).toString()).toBe("mimetypea/b");
  const home = process.env.TZ;
  try {
    process.env.TZ = "Pacific/Kiritimati";
    expect(writeZip(new Map(Object.entries(members)))).toEqual(written);
  } finally {
    if (home === undefined) delete process.env.TZ;
    else process.env.TZ = home;
  }
});

const many: Record<string, Uint8Array> = {};
for (let at = 0; at <= 5000; at++) many[`${at}.a`] = new Uint8Array();
const directory = Buffer.from(sound).indexOf("PK\u0001\u0002", "latin1");
/** Where the directory says how large the second member is, unpacked. */
const claim = Buffer.from(sound).indexOf("PK\u0001\u0002", directory + 1, "latin1") + 24;

function altered(from: number, to: number): Uint8Array {
  return sound.map((byte, at) => (at >= from && at < to ? byte ^ 0x5a : byte));
}

test.each([
  { what: "nothing", bytes: new Uint8Array() },
  { what: "something else", bytes: strToU8("PK and more") },
  { what: "cut off", bytes: sound.subarray(0, sound.length - 30) },
  { what: "damaged where it is packed", bytes: altered(100, directory) },
  { what: "without an end", bytes: altered(sound.length - 22, sound.length) },
  { what: "said to hold more than there is memory", bytes: altered(claim + 3, claim + 4) },
  { what: "more than anybody writes", bytes: zipSync({ a: new Uint8Array(17 * 1024 * 1024) }) },
  { what: "of too many members", bytes: zipSync(many) },
])("an archive that is $what is not read", ({ bytes }) => {
  expect(readZip(bytes)).toBeNull();
});
