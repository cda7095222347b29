import { unzipSync, zipSync } from "fflate";

/** The members of an archive by their names, in its order. */
export type Members = ReadonlyMap<string, Uint8Array>;

/** All members together, unpacked. A few kilobytes may claim to hold terabytes. */
const mostBytes = 16 * 1024 * 1024;
const mostMembers = 5000;

/** Null for what is no zip archive, is damaged, or holds more than anybody writes by hand. */
export function readZip(bytes: Uint8Array): Members | null {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return null;
  let size = 0;
  let count = 0;
  try {
    const members = unzipSync(bytes, {
      filter: ({ originalSize }) => {
        size += originalSize;
        return ++count <= mostMembers && size <= mostBytes;
      },
    });
    return count > mostMembers || size > mostBytes ? null : new Map(Object.entries(members));
  } catch {
    // The reader throws for anything that is wrong with an archive, with errors of many kinds.
    return null;
  }
}

/**
 * The same bytes on every machine and with every version of the packer: members are stored as they are, and dated as
 * early as an archive can say.
 */
export function writeZip(members: Members): Uint8Array {
  return zipSync(Object.fromEntries(members), { level: 0, mtime: new Date(1980, 0, 1) });
}
