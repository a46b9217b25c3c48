import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { UsageError } from "../../errors.ts";
import { comparableHost } from "./address.ts";

/** Where the user sends a name. */
export interface Override {
  address: string;
  port: number;
}

const SHAPE = /^(?<host>\*|\[[^\]]+\]|[^:[\]]+):(?<address>\[[^\]]+\]|[^:[\]]+):(?<port>\d{1,5})$/;

/** Reads --resolve values HOST:ADDR:PORT; the last one for a host counts, HOST "*" stands for every name. */
export function parseOverrides(values: readonly string[]): Map<string, Override> {
  const overrides = new Map<string, Override>();
  for (const value of values) {
    const groups = SHAPE.exec(value.trim())?.groups;
    if (groups === undefined) throw malformed(value, "it has not the form HOST:ADDR:PORT");
    const address = groups.address!.replace(/^\[(.*)\]$/, "$1");
    const port = Number(groups.port);
    if (isIP(address) === 0) throw malformed(value, `"${address}" is no IP address`);
    if (port < 1 || port > 65535) throw malformed(value, `port ${port} is not between 1 and 65535`);
    const host = comparableHost(groups.host!);
    const name = host === "*" || isIP(host) !== 0 ? host : domainToASCII(host);
    if (name === "") throw malformed(value, `"${host}" is no host name`);
    overrides.set(name, { address, port });
  }
  return overrides;
}

function malformed(value: string, why: string): UsageError {
  return new UsageError(
    `--resolve "${value}" cannot be used: ${why}; examples are example.com:127.0.0.1:8080 and *:[::1]:8080`,
  );
}
