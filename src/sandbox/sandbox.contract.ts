import { commandsContract } from "./commands.contract.ts";
import { confinementContract } from "./confinement.contract.ts";
import { gradingContract } from "./grading.contract.ts";
import type { Sandbox } from "./port.ts";

/** What every `Sandbox` must do. `open` is called when the tests begin; whoever made the sandbox closes it. */
export function sandboxContract(name: string, open: () => Promise<Sandbox>): void {
  commandsContract(name, open);
  confinementContract(name, open);
  gradingContract(name, open);
}
