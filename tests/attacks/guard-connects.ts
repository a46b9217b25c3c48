// Loaded into the crawler's process and its threads with --import, by the rows that play with addresses. Writes down
// every address a socket is to be connected to. A connection to a public address of ATTACK_PUBLIC ("ADDRESS=LOOPBACK,...")
// goes to this machine instead, and one to any other address beyond it is refused here: no packet ever leaves.
import { appendFileSync } from "node:fs";
import net from "node:net";
import { isLoopback } from "../../src/fetch/route/address.ts";

const file = process.env.ATTACK_CONNECTS;
const played = new Map(
  (process.env.ATTACK_PUBLIC ?? "").split(",").map((pair) => pair.split("=") as [string, string]),
);

if (file !== undefined) {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    const [first] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
    const options = first as { host?: string; port?: number };
    if (options.port === undefined) return connect.apply(this, args as never);
    const host = options.host ?? "127.0.0.1";
    appendFileSync(file, `${host} ${options.port}\n`);
    options.host = played.get(host) ?? host;
    if (isLoopback(options.host)) return connect.apply(this, args as never);
    const refusal = Object.assign(new Error(`connect ECONNREFUSED ${host}`), {
      code: "ECONNREFUSED",
    });
    process.nextTick(() => this.destroy(refusal));
    return this;
  } as typeof connect;
}
