/**
 * Compiles src/ to dist/, makes the command executable, which the compiler does not, and lays the cheater pack beside
 * the compiled code. Exit code of the compiler.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: ["ignore", 2, 2],
});
if (status === 0) {
  chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
  const cheats = join(root, "dist", "gate", "cheats");
  // A cheat that is gone from src/ must not live on.
  rmSync(cheats, { recursive: true, force: true });
  cpSync(join(root, "src", "gate", "cheats"), cheats, { recursive: true });
}
process.exit(status ?? 1);
