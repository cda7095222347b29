import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { trialHref } from "../report/html/links.ts";
import { CampaignStore } from "../store/campaign.ts";
import { trialFolder } from "../store/trial-files.ts";
import { type Viewing, viewIn } from "../testing/view-command.ts";
import { layTrial, viewedCampaign } from "../testing/viewed-campaign.ts";
import { mostTrialPages } from "../trial-pages.ts";
import { claimCampaign } from "./wire-sandbox.ts";

const secret = "SECRET-OF-THE-MACHINE";
let folder: string;
let trials: readonly PlannedTrial[];
let open: PlannedTrial;
let viewing: Viewing;

const view = (...args: readonly string[]): Promise<Viewing> => viewIn(dirname(folder), ...args);

beforeAll(async () => {
  const laid = await viewedCampaign((planned) =>
    planned.arm === "with_skill" && planned.n === 2 && planned.model === "a/x" ? null : {},
  );
  folder = laid.folder;
  trials = laid.plan.trials.filter(({ arm, n, model }) => arm !== "with_skill" || n !== 2 || model !== "a/x");
  const left = laid.plan.trials.find((planned) => !trials.includes(planned));
  if (left === undefined) throw new Error("every trial was laid");
  open = left;
  await writeFile(join(dirname(folder), "secret.txt"), secret);
  viewing = await view(folder);
});
afterAll(async () => {
  expect(await viewing.end()).toBe(0);
  await rm(dirname(folder), { recursive: true });
});

function raw(planned: PlannedTrial, name: string): string {
  return `/raw/${trialHref(planned).replace(/\.html$/, "")}/${name}`;
}

test("the address is printed, on loopback and with a free port", () => {
  expect(viewing.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
});

test("every trial has its page, and its links lead on", async () => {
  for (const planned of trials) {
    const path = `/${trialHref(planned)}`;
    const page = await viewing.get(path);
    expect(page.status, path).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.body).toContain("1 of 1 assertion of the grader passed.");
    const hrefs = [...page.body.matchAll(/href="([^"#][^"]*)"/g)].flatMap(([, href]) => href ?? []);
    for (const href of hrefs.filter((one) => !one.startsWith("data:"))) {
      const target = new URL(href, new URL(path, viewing.url)).pathname;
      expect((await viewing.get(target)).status, `${path}: ${href}`).toBe(200);
    }
  }
});

test("files are given as they are, to be kept and not to be shown", async () => {
  const [first] = trials;
  const got = await viewing.get(raw(first!, "transcript.jsonl"));
  expect(got.status).toBe(200);
  expect(got.body).toContain('"kind":"system"');
  expect(got.headers).toMatchObject({
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": 'attachment; filename="transcript.jsonl"',
    "x-content-type-options": "nosniff",
  });
  const archive = await viewing.get(raw(first!, "workspace.tar.gz"));
  expect(archive.headers["content-type"]).toBe("application/octet-stream");
});

describe("headers that keep a browser from obeying a page", () => {
  test.each([
    { what: "a page", path: "/" },
    { what: "the report's numbers", path: "/report.json" },
    { what: "what is not there", path: "/nothing" },
    { what: "a refused method", path: "/", method: "POST" },
    { what: "a refused host", path: "/", host: "evil.example" },
  ])("on $what", async ({ path, method = "GET", host }) => {
    const { headers } = await viewing.get({ path, method, ...(host === undefined ? {} : { host }) });
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
  });
});

test.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])("%s is refused", async (method) => {
  const got = await viewing.get({ method, path: "/" });
  expect([got.status, got.headers["allow"]]).toEqual([405, "GET, HEAD"]);
});

test("HEAD answers as GET does, without a body", async () => {
  const path = `/${trialHref(trials[0]!)}`;
  const got = await viewing.get({ method: "HEAD", path });
  expect([got.status, got.body]).toEqual([200, ""]);
  expect((await viewing.get({ method: "HEAD", path: raw(trials[0]!, "trial.json") })).status).toBe(200);
});

test.each([
  ["localhost", 200],
  ["LOCALHOST:80", 200],
  ["127.0.0.1", 200],
  ["[::1]:8080", 200],
  ["evil.example", 403],
  ["127.0.0.1.evil.example", 403],
  ["localhost.evil.example:80", 403],
  ["0.0.0.0", 403],
] as const)("a request for the host %s is answered with %i", async (host, status) => {
  expect((await viewing.get({ host, path: "/report.json" })).status).toBe(status);
});

describe("no address leads out of the campaign", () => {
  test.each([
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/%2e%2e%2fsecret.txt",
    "/%252e%252e%252fsecret.txt",
    "/..%5csecret.txt",
    "/raw/../../secret.txt",
    "/raw/trials/../../../secret.txt",
    "/raw/trials/..%2f..%2f..%2fsecret.txt/x",
    "//etc/passwd",
    "/raw//etc/passwd",
    "/raw/%2fetc%2fpasswd",
    "/raw/trials/sample/answer/a%2Fx/with_skill/1/%00",
    "/plan.json",
    "/evidence.jsonl",
    "/__proto__",
    "/constructor",
    "/%",
    "/%ff",
    "/trials/",
    "/cells/sample",
    "/cells/sample/answer/a%252Fx/with_skill?from=-1",
    "/cells/sample/answer/a%252Fx/with_skill?from=1e9",
    "http://evil.example/../secret.txt",
  ])("%s", async (path) => {
    const got = await viewing.get(path);
    expect(got.status).toBeGreaterThanOrEqual(400);
    expect(got.status).toBeLessThan(500);
    expect(got.body).not.toContain(secret);
    expect(got.body).not.toContain("root:");
  });

  test("nor does a link in a trial's folder, or in the place of one", async () => {
    const { folder: other, plan } = await viewedCampaign();
    const [inside, whole] = plan.trials;
    await rm(join(trialFolder(other, inside!), "grader.log"));
    await symlink(join(dirname(folder), "secret.txt"), join(trialFolder(other, inside!), "grader.log"));
    const outside = join(dirname(folder), "outside");
    await mkdir(outside);
    await writeFile(join(outside, "transcript.jsonl"), `{"kind":"note","text":"${secret}"}\n`);
    await rm(trialFolder(other, whole!), { recursive: true });
    await symlink(outside, trialFolder(other, whole!));
    const here = await view(other);
    const paths = [
      raw(inside!, "grader.log"),
      raw(whole!, "transcript.jsonl"),
      `/${trialHref(inside!)}`,
      `/${trialHref(whole!)}`,
    ];
    const got = await Promise.all(paths.map((path) => here.get(path)));
    await here.end();
    await rm(dirname(other), { recursive: true });
    expect(got.map(({ status }) => status)).toEqual([404, 404, 200, 200]);
    for (const { body } of got) expect(body).not.toContain(secret);
  });
});

test("a campaign under way is followed, and no longer when nobody works on it", async () => {
  const path = `/${trialHref(open)}`;
  const before = await viewing.get(path);
  expect(before.body).toContain("Not done yet.");
  expect(before.headers["refresh"]).toBeUndefined();
  await claimCampaign(folder, async () => {
    for (const address of [path, "/index.html"])
      expect((await viewing.get(address)).headers["refresh"], address).toMatch(/^\d+$/);
    await layTrial(new CampaignStore(folder), open, {});
    const after = await viewing.get(path);
    expect(after.body).toContain("1 of 1 assertion of the grader passed.");
    expect(after.headers["refresh"]).toBeUndefined();
  });
  const { trials: counted } = JSON.parse((await viewing.get("/report.json")).body) as {
    trials: { graded: number; planned: number };
  };
  expect(counted.graded).toBe(counted.planned);
});

test("without a campaign all of them are listed, and each is there", async () => {
  const here = await view("--out", dirname(folder));
  const name = folder.slice(dirname(folder).length + 1);
  const list = await here.get("/");
  expect(list.body).toContain(`href="c/${name}/"`);
  const page = await here.get(`/c/${name}/${trialHref(trials[0]!)}`);
  expect(page.body).toContain("1 of 1 assertion of the grader passed.");
  expect((await here.get(`/c/${name}`)).headers["location"]).toBe(`/c/${name}/`);
  for (const path of ["/c/other/", "/c/..%2fsecret.txt/", "/c/", "/c/../", "/secret.txt"]) {
    const { status, body } = await here.get(path);
    expect([status === 404 || (status === 200 && body === list.body), body.includes(secret)], path).toEqual([
      true,
      false,
    ]);
  }
  expect(await here.end()).toBe(0);
});

test("a large campaign begins with its cells, and a cell lists its trials a part at a time", async () => {
  const large = await viewedCampaign(() => null, { trials: Math.ceil((mostTrialPages + 1) / 4) });
  const here = await view(large.folder);
  const [planned] = large.plan.trials;
  const count = large.plan.trials.length;
  const cell = "/cells/sample/answer/a%252Fx/with_skill";
  const [start, cells, first, last, trial] = await Promise.all(
    ["/", "/cells/", cell, `${cell}?from=500`, `/${trialHref(planned!)}`].map((path) => here.get(path)),
  );
  await here.end();
  await rm(dirname(large.folder), { recursive: true });
  expect(start!.body).toContain(`A campaign of ${count} trials`);
  expect(cells!.body).toContain(`${count} trials are planned in 4 cells.`);
  expect(cells!.body).toContain(`href="..${cell}"`);
  expect(first!.body).toContain(`500 of ${count / 4} trials on this page: 0 passed, 0 failed, 500 ungraded.`);
  expect(last!.body).toContain(`${count / 4 - 500} of ${count / 4} trials on this page`);
  expect(trial!.body).toContain("Not done yet.");
});

test.each([
  { args: ["--port", "x"], words: "--port x: say a whole number from 0 to 65535." },
  { args: ["--port", "70000"], words: "--port 70000: say a whole number from 0 to 65535." },
  { args: ["--host", "0.0.0.0"], words: "--host 0.0.0.0: only a loopback address is served" },
  { args: ["nowhere"], words: "nowhere: no campaign there" },
])("$args is for the user to mend", async ({ args, words }) => {
  await expect(view(...args)).rejects.toThrow(words);
  await expect(view(...args)).rejects.toThrow("exit code 2: error: ");
});

test("a port that is taken is named", async () => {
  const { port } = new URL(viewing.url);
  await expect(view(folder, "--port", port)).rejects.toThrow(`--port ${port}: cannot be had (EADDRINUSE)`);
});
