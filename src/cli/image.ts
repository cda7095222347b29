import type { AddCommand } from "./io.ts";
import { loadCampaignFile } from "./io.ts";
import { withoutDraining } from "./signals.ts";
import { readTools } from "./wire.ts";
import { wireSandbox } from "./wire-sandbox.ts";

/** `skillproof image`: makes the sandbox image ready and says what it is. Set-up calls this. */
export const addImage: AddCommand = (program, io, done) => {
  program
    .command("image")
    .description("make the sandbox image ready, or say which one is")
    .option("-c, --config <file>", "the campaign's YAML")
    .option("--tools", "print what the image has, as authors are told")
    .option("--json", "print the image's record on stdout")
    .action(async (options: { config?: string; tools?: boolean; json?: boolean }) => {
      const { config } = await loadCampaignFile(io, options.config, {});
      const sandbox = await wireSandbox(config, withoutDraining(io));
      try {
        const { id, recipe, base } = sandbox.image;
        if (options.json === true) io.out(`${JSON.stringify(sandbox.image, null, 2)}\n`);
        else io.err(`image    ${id.slice(0, 19)} (recipe ${recipe.slice(0, 12)}, base from ${base})\n`);
        if (options.tools === true) io.out(`${await readTools(config, sandbox)}\n`);
        done(0);
      } finally {
        await sandbox.close();
      }
    });
};
