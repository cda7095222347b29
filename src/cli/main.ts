#!/usr/bin/env node
import { pathToFileURL } from "node:url";
import { realpathSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Command, CommanderError } from "commander";
import { BudgetError, InfrastructureError, InterruptedError, messageOf, UserError } from "../errors.ts";
import { SandboxError } from "../sandbox/port.ts";
import { asInvoked } from "./as-invoked.ts";
import { addBuild } from "./build.ts";
import { addClean } from "./clean.ts";
import { addCompare } from "./compare.ts";
import { addDemo } from "./demo.ts";
import { addDoctor } from "./doctor.ts";
import { addEval } from "./eval.ts";
import { addExport } from "./export.ts";
import { addGrade } from "./grade.ts";
import { addImage } from "./image.ts";
import { addImport } from "./import.ts";
import { keepHeapSmall } from "./heap.ts";
import { addInit } from "./init.ts";
import type { ExitCode, Io } from "./io.ts";
import { addPlan } from "./plan.ts";
import { addProbe } from "./probe.ts";
import { harmless } from "./progress.ts";
import { addReport } from "./report.ts";
import { openTerminal } from "./screen/open-terminal.ts";
import { stopOnSignals } from "./signals.ts";
import { addValidate } from "./validate.ts";
import { addVerify } from "./verify.ts";
import { addView } from "./view.ts";

const exitCodes = `
Exit codes:
  0    done
  1    done, and something you asked to hold does not (build kept nothing, validate refused a benchmark,
       verify found something, --fail-on found what it names)
  2    you must fix something; the message says what
  3    infrastructure failed, or trials are missing for it; what was finished is kept, and the same command goes on
  4    the budget leaves no room for another request, or the deadline has passed; what was finished is kept
  5    it cannot be told, where a verdict was required (--fail-on)
  130  interrupted; the same command goes on`;

/** The whole command line. Everything thrown below ends here, once. */
export async function main(args: readonly string[], io: Io): Promise<ExitCode> {
  const end: { code: ExitCode; how: "stopped" | null } = { code: 0, how: null };
  const program = new Command("skillproof")
    .description("Does this agent skill help? Benchmarks made from the skill, proven graders, two arms.")
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: (text) => {
        io.err(harmless(text));
      },
    })
    .showSuggestionAfterError()
    .addHelpText("after", exitCodes);
  for (const add of [
    addBuild,
    addValidate,
    addProbe,
    addPlan,
    addEval,
    addGrade,
    addImport,
    addExport,
    addReport,
    addVerify,
    addCompare,
    addView,
    addDemo,
    addClean,
    addImage,
    addInit,
    addDoctor,
  ]) {
    add(program, io, (code, how = null) => {
      end.code = code;
      end.how = how;
    });
  }
  try {
    await program.parseAsync([...args], { from: "user" });
    if (end.how !== "stopped") io.drain.throwIfAborted();
    return end.code;
  } catch (error) {
    io.screen?.rest("stopped");
    return explain(error, io);
  }
}

function explain(error: unknown, io: Io): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (io.drain.aborted || io.signal.aborted || error instanceof InterruptedError) {
    io.err("interrupted; what was finished is kept, and the same command goes on\n");
    return 130;
  }
  if (error instanceof UserError) {
    io.err(`error: ${said(error, io)}\n`);
    return 2;
  }
  if (error instanceof BudgetError) {
    io.err(`budget: ${said(error, io)}\n`);
    return 4;
  }
  if (error instanceof InfrastructureError || error instanceof SandboxError) {
    io.err(`infrastructure: ${said(error, io)}\n`);
    return 3;
  }
  io.err(
    `this is a fault of skillproof, please report it:\n${harmless(error instanceof Error ? (error.stack ?? error.message) : messageOf(error))}\n`,
  );
  return 3;
}

/** Names and texts of others stand in messages: a terminal must not obey them. */
function said({ message }: Error, { env }: Io): string {
  return harmless(asInvoked(message, env));
}

/** No word is a no. */
async function askAtTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y(es)?\s*$/i.test(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}

const started = process.argv[1];
if (started !== undefined && import.meta.url === pathToFileURL(realpathSync(started)).href) {
  keepHeapSmall();
  // A terminal that was closed takes no more words; what SIGHUP lets come to its end must not die of that.
  process.stderr.on("error", () => undefined);
  // Who reads on no further (`| head`) has what he wanted; anything else that is wrong with it is a fault.
  process.stdout.on("error", (error: Error) => {
    if (!("code" in error && error.code === "EPIPE")) throw error;
  });
  process.exitCode = await main(process.argv.slice(2), {
    ...openTerminal({
      ...{ stdout: process.stdout, stderr: process.stderr, source: process, env: process.env },
      ask: process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : null,
      now: () => performance.now(),
    }),
    env: process.env,
    cwd: process.cwd(),
    ...stopOnSignals(process, () => process.exit(130)),
  });
}
