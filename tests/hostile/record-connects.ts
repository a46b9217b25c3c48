// Loaded into the crawler's process (and its threads) with --import: writes down every address a socket is connected
// to. It changes nothing; a connection that was refused by our own rules never gets here.
import { appendFileSync } from "node:fs";
import net from "node:net";

const file = process.env.HOSTILE_CONNECTS;
if (file !== undefined) {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    const [first] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
    const { host, port } = first as { host?: string; port?: number };
    if (port !== undefined) appendFileSync(file, `${host ?? ""} ${port}\n`);
    return connect.apply(this, args as never);
  } as typeof connect;
}
