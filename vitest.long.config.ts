import { defineConfig } from "vitest/config";

/** It kills engines and starts them again, which waits on a disk that others fill: it comes when they have ended. */
const alone = "src/cli/engine-restart.long.test.ts";

/** What is too slow for every `npm test`: `npm run test:long`. */
export default defineConfig({
  test: {
    setupFiles: ["src/testing/loopback-only.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "long",
          include: ["src/**/*.long.test.ts"],
          exclude: [alone],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: "engine", include: [alone], sequence: { groupOrder: 1 } },
      },
    ],
  },
});
