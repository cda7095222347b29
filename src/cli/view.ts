import { readdir } from "node:fs/promises";
import type { Server } from "node:http";
import { join, resolve } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { UserError } from "../errors.ts";
import { campaignLock } from "../store/leftovers.ts";
import { fileInside } from "../store/trial-files.ts";
import { campaignList, viewCampaign } from "../view-campaign.ts";
import { campaignFolder } from "./campaign-folder.ts";
import type { AddCommand, Io } from "./io.ts";
import { bundlesFor } from "./material-places.ts";
import { printable } from "./progress.ts";
import { type OpenCampaign, type Shown, viewApp } from "./view-app.ts";
import { living } from "./wire-sandbox.ts";

type Options = { readonly out: string; readonly port: string; readonly host: string };

/** `skillproof view [CAMPAIGN]`: the pages of campaigns on loopback. Needs neither engine nor key. */
export const addView: AddCommand = (program, io, done) => {
  program
    .command("view")
    .description("show campaigns in a browser of this machine; follows one that is under way")
    .argument("[campaign]", "its folder; without it, all campaigns below --out")
    .option("--out <folder>", "where campaigns are", "out")
    .option("--port <number>", "the port to listen on; 0 for a free one", "0")
    .option("--host <name>", "the loopback address to listen on", "127.0.0.1")
    .action(async (name: string | undefined, options: Options) => {
      const out = resolve(io.cwd, options.out);
      const [port, host] = [portFrom(options.port), hostFrom(options.host)];
      const folder = name === undefined ? null : await campaignFolder(name, out, io.cwd);
      const server = await listen(shownFrom(folder, out, io), port, host);
      io.out(`${addressOf(server, host)}\n`);
      io.err("showing; Ctrl-C ends it\n");
      try {
        await stopped(io);
      } finally {
        await close(server);
      }
      done(0, "stopped");
    });
};

function portFrom(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UserError(`--port ${text}: say a whole number from 0 to 65535.`);
}

/** Transcripts may hold anything; they are shown to nobody else in the network. */
function hostFrom(text: string): string {
  if (["127.0.0.1", "::1", "localhost"].includes(text)) return text;
  throw new UserError(`--host ${text}: only a loopback address is served: 127.0.0.1, ::1 or localhost.`);
}

function shownFrom(folder: string | null, out: string, io: Io): Shown {
  const known = new Map<string, OpenCampaign>();
  const openAt = async (place: string): Promise<OpenCampaign> => {
    const open = known.get(place) ?? {
      viewer: viewCampaign(place, await bundlesFor(place, io)),
      isAtWork: () => living.holds(join(place, campaignLock)),
    };
    known.set(place, open);
    return open;
  };
  const broke = (words: string): void => {
    io.err(`view: ${printable(words)}\n`);
  };
  if (folder !== null) return { list: null, open: () => openAt(folder), broke };
  return {
    list: async () => {
      const names = await campaignsIn(out);
      const rows = names.map(async (name) => ({
        name,
        atWork: await living.holds(join(out, name, campaignLock)),
      }));
      return campaignList(await Promise.all(rows));
    },
    open: async (name) => {
      // Only a name that was found there: an address never becomes a path.
      const found = (await campaignsIn(out)).find((one) => one === name);
      return found === undefined ? null : openAt(join(out, found));
    },
    broke,
  };
}

/** Names of the folders below `out` that hold a campaign; a link is none. */
async function campaignsIn(out: string): Promise<readonly string[]> {
  const entries = await readdir(out, { withFileTypes: true }).catch((error: unknown) => {
    throw new UserError(`${out}: no folder of campaigns. Name one with --out, or a campaign.`, {
      cause: error,
    });
  });
  const names: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    if ((await fileInside(join(out, entry.name), "plan.json")) !== null) names.push(entry.name);
  }
  return names.sort();
}

async function listen(shown: Shown, port: number, host: string): Promise<Server> {
  const server = createAdaptorServer({ fetch: viewApp(shown).fetch });
  if (!("closeAllConnections" in server)) throw new TypeError("expected a server of HTTP/1");
  await new Promise<void>((resolved, refused) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      refused(
        error.code === "EADDRINUSE" || error.code === "EACCES"
          ? new UserError(
              `--port ${port}: cannot be had (${error.code}). Name another one, or 0 for a free one.`,
            )
          : error,
      );
    });
    server.listen(port, host, resolved);
  });
  return server;
}

function addressOf(server: Server, host: string): string {
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}

async function stopped({ drain }: Pick<Io, "drain">): Promise<void> {
  if (drain.aborted) return;
  await new Promise<void>((resolved) => {
    drain.addEventListener(
      "abort",
      () => {
        resolved();
      },
      { once: true },
    );
  });
}

/** Whoever is still reading a page is cut off. */
async function close(server: Server): Promise<void> {
  await new Promise<void>((resolved) => {
    server.close(() => {
      resolved();
    });
    server.closeAllConnections();
  });
}
