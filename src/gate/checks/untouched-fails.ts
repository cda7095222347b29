import type { Check } from "../check.ts";
import { proveFails } from "./fails.ts";

/** Fixtures as the agent finds them. */
export const untouchedFails: Check = {
  name: "untouched-fails",
  prove: (bundle, tools) => proveFails("untouched workspace (fixtures only)", bundle.fixtures, tools),
};
