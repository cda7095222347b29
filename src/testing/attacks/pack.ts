import type { Attack } from "./attack.ts";
import { attacksOnFiles } from "./on-files.ts";
import { attacksOnGrader } from "./on-grader.ts";
import { attacksOnProcesses } from "./on-processes.ts";
import { attacksOnRoom } from "./on-room.ts";

/** Everything a hostile agent is known to try. */
export const attackPack: readonly Attack[] = [
  ...attacksOnProcesses,
  ...attacksOnFiles,
  ...attacksOnRoom,
  ...attacksOnGrader,
];
