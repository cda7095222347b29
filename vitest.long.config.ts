import { defineConfig } from "vitest/config";

/** What is too slow for every `npm test`: `npm run test:long`. */
export default defineConfig({
  test: {
    include: ["src/**/*.long.test.ts"],
    setupFiles: ["src/testing/loopback-only.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
  },
});
