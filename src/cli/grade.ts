import { basename, join, relative } from "node:path";
import { gradeCampaign } from "../campaign.ts";
import { loadBenchmarks } from "../campaign-material.ts";
import { CampaignStore } from "../store/campaign.ts";
import { campaignFolder } from "./campaign-folder.ts";
import { spentWords, withLedger } from "./campaign-ledger.ts";
import { type AddCommand, listenOn, loadCampaignFile } from "./io.ts";
import { gradeStages, readingOf } from "./screen/reading.ts";
import { sayReport } from "./say-report.ts";
import { withoutDraining } from "./signals.ts";
import { wireCampaign } from "./wire.ts";
import { ModelAccess } from "./wire-models.ts";
import { claimCampaign, wireSandbox } from "./wire-sandbox.ts";

/** `skillproof grade CAMPAIGN`: verdicts again from snapshots, without any agent call. */
export const addGrade: AddCommand = (program, io, done) => {
  program
    .command("grade")
    .description("verdicts again from the stored workspaces; no agent is called")
    .argument("<campaign>", "its folder")
    .option("-c, --config <file>", "the campaign's YAML")
    .option("--json", "print report.json on stdout")
    .action(async (name: string, options: { config?: string; json?: boolean }) => {
      const loaded = await loadCampaignFile(io, options.config, {});
      const { config } = loaded;
      const folder = await campaignFolder(name, config.out, io.cwd);
      const places = config.skills.map(({ folder: skill, benchmarks }) => ({
        skill: basename(skill),
        benchmarks: benchmarks ?? join(config.benchmarks, basename(skill)),
      }));
      const benchmarks = await loadBenchmarks(places);
      const judged = benchmarks.some(({ bundle }) => bundle.spec.judged);
      const { claims } = config.judge;
      const judge = judged || claims ? config.judge.models : [];
      const { endpoints } = await new CampaignStore(folder).readPlan();
      listenOn(io)({ kind: "began", title: config.name, part: "graded again", stages: gradeStages });
      const access = new ModelAccess(loaded, listenOn(io), io);
      await access.requireAccess({ judge });
      const sandbox = await wireSandbox(config, withoutDraining(io));
      try {
        const report = await claimCampaign(folder, () =>
          withLedger(folder, config, async (ledger) => {
            const judges = await access.judges(judge, endpoints, ledger);
            const listen = listenOn(io, () => spentWords(ledger));
            const { budgetUsd } = config.evaluation;
            io.screen?.watch(() => readingOf({ ledger, access, budgetUsd }));
            const ports = wireCampaign(config, {
              ...{ sandbox, judges, endpoints, listen, signal: io.drain, agents: new Map<string, never>() },
              replay: null,
              claims,
              leaky: config.report.leaky,
              analysis: null,
              settle: () => access.settle(ledger, endpoints),
            });
            return gradeCampaign(benchmarks, folder, ports);
          }),
        );
        if (options.json === true) io.out(`${JSON.stringify(report, null, 2)}\n`);
        else sayReport(report, relative(io.cwd, join(folder, "report", "index.html")), io);
        done(0);
      } finally {
        await sandbox.close();
      }
    });
};
