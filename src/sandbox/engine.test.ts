import { expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { connectEngine, engineAddresses } from "./engine.ts";

const everything = (): boolean => true;
const home = { HOME: "/home/u", XDG_RUNTIME_DIR: "/run/user/1" };

test.each([
  ["tcp://build:2375", { ...home, DOCKER_HOST: "unix:///other" }, ["tcp://build:2375"]],
  ["/my.sock", home, ["unix:///my.sock"]],
  [null, { ...home, DOCKER_HOST: "ssh://user@host" }, ["ssh://user@host"]],
  [
    null,
    home,
    [
      "unix:///var/run/docker.sock",
      "unix:///home/u/.docker/run/docker.sock",
      "unix:///home/u/.docker/desktop/docker.sock",
      "unix:///run/user/1/docker.sock",
    ],
  ],
])("socket %s with %j is looked for at %j", (socket, env, addresses) => {
  expect(engineAddresses(socket, env, everything)).toEqual(addresses);
});

test("sockets that do not exist are not tried", () => {
  expect(engineAddresses(null, home, (path) => path.includes("desktop"))).toEqual([
    "unix:///home/u/.docker/desktop/docker.sock",
  ]);
});

test.each([
  ["/nowhere/docker.sock", /No Docker engine answers: tried unix:\/\/\/nowhere\/docker\.sock.*DOCKER_HOST/],
  ["tcp://127.0.0.1:1", /tried tcp:\/\/127\.0\.0\.1:1 /],
  ["gopher://x", /protocol/],
])("an engine that is not there is for the user to mend: %s", async (socket, words) => {
  const attempt = connectEngine(socket, { env: {} });
  await expect(attempt).rejects.toThrow(UserError);
  await expect(attempt).rejects.toThrow(words);
});
