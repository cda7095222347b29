/**
 * summary.mjs FAILED-PHASES REPORT…: adds up vitest's JSON reports and prints "N passed, N failed", with skipped tests
 * when there are any. A report that is missing, and a phase that failed although no test did, count as one failure each:
 * nothing green may hide what was not carried out. Exit code 1 unless everything passed and something was tested.
 */
import { existsSync, readFileSync } from "node:fs";

const [failedPhases, ...reports] = process.argv.slice(2);
let passed = 0;
let failed = 0;
let skipped = 0;
for (const path of reports) {
  if (!existsSync(path)) {
    failed += 1;
    continue;
  }
  const report = JSON.parse(readFileSync(path, "utf8"));
  passed += report.numPassedTests;
  skipped += report.numPendingTests + report.numTodoTests;
  // A file that does not even load has no failed test, but it is a failed suite.
  failed += report.numFailedTests > 0 ? report.numFailedTests : report.numFailedTestSuites;
}
if (Number(failedPhases) > 0 && failed === 0) failed = 1;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
