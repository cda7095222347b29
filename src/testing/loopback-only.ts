import net from "node:net";

/**
 * Fails any test that opens a TCP connection to an address off this machine. Unix sockets (the engine) have no
 * host and pass. Loaded by vitest before every test file.
 */
// eslint-disable-next-line @typescript-eslint/unbound-method -- applied to its socket below
const connect = net.Socket.prototype.connect;
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;

net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  const first: unknown = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (first !== null && typeof first === "object" && "port" in first) {
    const host = "host" in first && typeof first.host === "string" ? first.host : "localhost";
    if (!loopback.test(host)) throw new Error(`a test tried to reach ${host}: tests stay on this machine`);
  }
  return connect.apply(this, args as Parameters<typeof connect>);
};
