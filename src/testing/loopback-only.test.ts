import net from "node:net";
import { expect, test } from "vitest";

test("a test that would leave this machine fails, with the address named", () => {
  expect(() => net.connect({ host: "192.0.2.1", port: 80 })).toThrow("a test tried to reach 192.0.2.1");
});

test("loopback and unix sockets pass", async () => {
  const server = net.createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  const socket = net.connect({ host: "127.0.0.1", port });
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
