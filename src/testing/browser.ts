import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const executablePath = "/usr/bin/chromium";

/**
 * A headless Chromium of the system. Throws an error that names the package where there is none. The caller closes it.
 */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(executablePath)) {
    throw new Error(`${executablePath} is not there; install it (Debian: apt-get install chromium)`);
  }
  // Containers and CI have no user namespaces for its own sandbox; the pages are ours.
  return await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}
