import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { type Context, Hono } from "hono";
import { messageOf, UserError } from "../errors.ts";
import type { CampaignViewer, ViewedPage } from "../view-campaign.ts";

/** What the server shows. */
export type Shown = {
  /** The page that lists campaigns; null where one campaign was named, which then is at the root. */
  readonly list: (() => Promise<string>) | null;
  /** By the name in its address, null at the root; null for one that is not there. */
  readonly open: (name: string | null) => Promise<OpenCampaign | null>;
  /** Told of what broke while a page was made. */
  readonly broke: (words: string) => void;
};

export type OpenCampaign = {
  readonly viewer: CampaignViewer;
  /** A process works on it now. */
  readonly isAtWork: () => Promise<boolean>;
};

/** Pages of a campaign under way ask for themselves again after so long. */
const refreshSeconds = 15;

const headers: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
};

/** Names under which a browser reaches this machine only: another one is a page that was rebound to us. */
const loopbackHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Only GET and HEAD, only for loopback names, only what a plan or a report names. */
export function viewApp(shown: Shown): Hono {
  const app = new Hono();
  app.all("*", async (context) => {
    const { method } = context.req;
    if (method !== "GET" && method !== "HEAD")
      return answer(405, "Only GET and HEAD: nothing can be changed here.\n", { allow: "GET, HEAD" });
    if (!isLoopback(context.req.header("host")))
      return answer(403, "This server answers for loopback names only: localhost, 127.0.0.1, [::1].\n");
    const response = await respond(context, shown);
    return method === "GET" ? response : new Response(null, response);
  });
  app.onError((error) => {
    shown.broke(messageOf(error));
    if (error instanceof UserError) return answer(500, `${error.message}\n`);
    return answer(500, "This page could not be made; the reason stands where view was started.\n");
  });
  return app;
}

async function respond(context: Context, shown: Shown): Promise<Response> {
  const url = new URL(context.req.url);
  const parts = partsOf(url.pathname);
  if (parts === null) return notThere();
  const { list } = shown;
  if (list === null) return campaignAt(await shown.open(null), parts, url);
  if (parts.length === 1 && parts[0] === "") return htmlAnswer(await list());
  const [letter, name, ...rest] = parts;
  if (letter !== "c" || name === undefined) return notThere();
  const campaign = await shown.open(name);
  if (campaign === null) return notThere();
  // Links of its pages begin where it is.
  if (rest.length === 0) return answer(301, "", { location: `/c/${encodeURIComponent(name)}/` });
  return campaignAt(campaign, rest, url);
}

async function campaignAt(
  campaign: OpenCampaign | null,
  parts: readonly string[],
  url: URL,
): Promise<Response> {
  if (campaign === null) return notThere();
  const { viewer } = campaign;
  const [first = "", ...rest] = parts;
  if (parts.length === 1) {
    if (first === "") return pageAnswer(await viewer.start(), campaign);
    const file = await viewer.reportFile(first);
    if (file === null) return notThere();
    return first.endsWith(".html")
      ? pageAnswer(file, campaign)
      : answer(200, file.text, { ...typeOf(first) });
  }
  const path = rest.join("/");
  switch (first) {
    case "trials": {
      const page = path.endsWith(".html") ? await viewer.trial(path.slice(0, -".html".length)) : null;
      return page === null ? notThere() : pageAnswer(page, campaign);
    }
    case "sections": {
      const file = await viewer.reportFile(`sections/${path}`);
      if (file === null) return notThere();
      return path.endsWith(".html") ? pageAnswer(file, campaign) : answer(200, file.text);
    }
    case "cells": {
      const from = Number(url.searchParams.get("from") ?? "0");
      const page =
        path === "" ? await viewer.cells() : Number.isInteger(from) ? await viewer.cell(path, from) : null;
      return page === null ? notThere() : pageAnswer(page, campaign);
    }
    case "raw": {
      const name = rest.slice(1, -1).join("/");
      const real = rest[0] === "trials" ? await viewer.rawFile(name, rest.at(-1) ?? "") : null;
      return real === null ? notThere() : fileAnswer(real, rest.at(-1) ?? "");
    }
    default:
      return notThere();
  }
}

/** The decoded parts of an address; null when one of them could be more than a name. */
export function partsOf(pathname: string): readonly string[] | null {
  const parts: string[] = [];
  const encoded = pathname.split("/").slice(1);
  for (const [at, part] of encoded.entries()) {
    let name: string;
    try {
      name = decodeURIComponent(part);
    } catch {
      return null;
    }
    const isEmptyInside = name === "" && at < encoded.length - 1;
    if (isEmptyInside || name === "." || name === ".." || /[/\\\p{Cc}]/u.test(name)) return null;
    parts.push(name);
  }
  return parts;
}

function isLoopback(host: string | undefined): boolean {
  const name = host?.replace(/:\d+$/, "").toLowerCase();
  return name !== undefined && loopbackHosts.has(name);
}

async function pageAnswer({ text, isOpen }: ViewedPage, { isAtWork }: OpenCampaign): Promise<Response> {
  const again = isOpen && (await isAtWork()) ? { refresh: String(refreshSeconds) } : {};
  return htmlAnswer(text, again);
}

function htmlAnswer(text: string, more: Readonly<Record<string, string>> = {}): Response {
  return answer(200, text, { "content-type": "text/html; charset=utf-8", ...more });
}

function typeOf(name: string): Readonly<Record<string, string>> {
  return name.endsWith(".svg") ? { "content-type": "image/svg+xml" } : {};
}

/** As it is, to be kept and not to be shown: nobody vouches for what is in it. */
function fileAnswer(real: string, name: string): Response {
  const isText = !name.endsWith(".gz");
  // The two libraries' types of one web stream differ.
  const body = Readable.toWeb(createReadStream(real)) as ReadableStream<Uint8Array>;
  return new Response(body, {
    headers: {
      ...headers,
      "content-type": isText ? "text/plain; charset=utf-8" : "application/octet-stream",
      "content-disposition": `attachment; filename="${name}"`,
    },
  });
}

function notThere(): Response {
  return answer(404, "There is no such page.\n");
}

function answer(status: number, text: string, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers, ...more },
  });
}
