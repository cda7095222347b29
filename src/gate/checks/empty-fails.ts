import type { Check } from "../check.ts";
import { proveFails } from "./fails.ts";

/** An agent may delete everything. */
export const emptyFails: Check = {
  name: "empty-fails",
  prove: (_bundle, tools) => proveFails("empty workspace", [], tools),
};
