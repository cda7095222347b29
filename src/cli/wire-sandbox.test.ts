import { expect, test } from "vitest";
import { parseConfig } from "../config-load.ts";
import { UserError } from "../errors.ts";
import { endpointSettings, sandboxSettings } from "./wire-sandbox.ts";

const configOf = (sandbox: string) =>
  parseConfig(`name: x\nevaluation: {concurrency: 5}\nsandbox: ${sandbox}\n`, "/campaigns/x.yaml");

test("endpoints take the sandbox's limits, their own address and paths relative to the YAML", () => {
  const config = configOf(
    "{workspace: volume, workspaceMiB: 4096, endpoints: [{address: run/engine.sock}, " +
      "{address: 'tcp://build:2376', tls: {ca: pki/ca.pem, cert: /abs/cert.pem, key: pki/key.pem}, concurrency: 8}]}",
  );
  expect(endpointSettings(config)).toMatchObject([
    {
      settings: { socket: "/campaigns/run/engine.sock", tls: null, workspace: "volume", workspaceMiB: 4096 },
      concurrency: 5,
    },
    {
      settings: {
        socket: "tcp://build:2376",
        tls: { ca: "/campaigns/pki/ca.pem", cert: "/abs/cert.pem", key: "/campaigns/pki/key.pem" },
      },
      concurrency: 8,
    },
  ]);
});

test("without endpoints there is one engine, with a workspace in memory", () => {
  const config = configOf("{socket: /my.sock}");
  expect(endpointSettings(config)).toBeNull();
  expect(sandboxSettings(config)).toMatchObject({
    socket: "/my.sock",
    workspace: "tmpfs",
    workspaceMiB: 256,
  });
});

test("a socket beside endpoints is for the user to decide", () => {
  const config = configOf("{socket: /my.sock, endpoints: [{address: /other.sock}]}");
  expect(() => endpointSettings(config)).toThrow(UserError);
  expect(() => endpointSettings(config)).toThrow("sandbox.socket: cannot be used with sandbox.endpoints");
});

test.each([
  ["{endpoints: []}", /sandbox\.endpoints: /],
  ["{endpoints: [{adress: /x}]}", /sandbox\.endpoints\.0\.address: [^]*adress: unknown key/],
  ["{endpoints: [{address: /x, tls: {ca: a, cert: b}}]}", /sandbox\.endpoints\.0\.tls\.key: /],
  ["{workspace: disk}", /sandbox\.workspace: /],
])("%s is refused with its path", (sandbox, words) => {
  expect(() => configOf(sandbox)).toThrow(words);
});
