import { Resolver } from "node:dns";
import { isIP } from "node:net";
import { keepLatest } from "../../runtime/keep-latest.ts";
import { comparableHost } from "./address.ts";
import { HostsFile } from "./hosts-file.ts";
import { type Override, parseOverrides } from "./resolve-overrides.ts";

/** Where to connect for a name, or why nowhere; `connectPort` replaces the port of the URL. */
export type Resolution =
  | { kind: "addresses"; addresses: readonly string[]; connectPort?: number }
  | {
      kind: "failed";
      error: "dns_not_found" | "dns_timeout" | "dns_failure" | "dns_not_asked";
      message: string;
    };

/** Everything has a default but the clock, which is monotonic, in milliseconds. */
export interface NameResolverOptions {
  /** --resolve values, HOST:ADDR:PORT. */
  overrides?: readonly string[];
  hostsFile?: string;
  /** Name servers as "address" or "address:port"; by default those of the system. */
  servers?: readonly string[];
  /** False: no name leaves this machine; one that is not known here fails as dns_not_asked. */
  askServers?: boolean;
  maxEntries?: number;
  /** Bounds for the times to live that servers announce. */
  ttlMs?: { min: number; max: number };
  /** How long a name that does not exist is remembered as such. */
  negativeTtlMs?: number;
  /** Of the first try; each later try waits longer. */
  timeoutMs?: number;
  tries?: number;
  clock: () => number;
}

interface Cached {
  resolution: Resolution;
  expiresAtMs: number;
}

/** Failures may pass, so they are remembered only briefly: a burst of links must not ask again and again. */
const FAILURE_TTL_MS = 5_000;
const LOOPBACK: Resolution = Object.freeze({ kind: "addresses", addresses: ["127.0.0.1", "::1"] });

/** When so many fixed answers are remembered, all are forgotten. */
const MAX_FIXED = 4096;

/** Finds addresses without `dns.lookup`, whose four threads all workers would share. */
export class NameResolver {
  readonly #overrides: ReadonlyMap<string, Override>;
  readonly #hosts: HostsFile;
  readonly #dns: Resolver;
  readonly #clock: () => number;
  readonly #askServers: boolean;
  readonly #maxEntries: number;
  readonly #ttlMs: { min: number; max: number };
  readonly #negativeTtlMs: number;
  /** In order of last use. */
  readonly #cache = new Map<string, Cached>();
  readonly #inFlight = new Map<string, Promise<Resolution>>();
  /** Answers that cannot change; always the same objects, so that routes can be compared by identity. */
  readonly #fixedAnswers = new Map<string, Resolution>();

  constructor(options: NameResolverOptions) {
    this.#clock = options.clock;
    this.#overrides = parseOverrides(options.overrides ?? []);
    this.#hosts = new HostsFile(options.hostsFile ?? "/etc/hosts", options.clock);
    this.#dns = new Resolver({ timeout: options.timeoutMs ?? 3_000, tries: options.tries ?? 3 });
    if (options.servers !== undefined) this.#dns.setServers(options.servers);
    this.#askServers = options.askServers ?? true;
    this.#maxEntries = options.maxEntries ?? 50_000;
    this.#ttlMs = options.ttlMs ?? { min: 30_000, max: 3_600_000 };
    this.#negativeTtlMs = options.negativeTtlMs ?? 60_000;
  }

  /** Answers at once from overrides, IP addresses, localhost, the hosts file and the cache. */
  resolve(hostname: string, _port: number): Resolution | Promise<Resolution> {
    const answered = this.#fixedAnswers.get(hostname);
    if (answered !== undefined) return answered;
    const name = comparableHost(hostname);
    const fixed = this.#fixed(name);
    if (fixed !== undefined) {
      if (this.#fixedAnswers.size >= MAX_FIXED) this.#fixedAnswers.clear();
      this.#fixedAnswers.set(hostname, fixed);
      return fixed;
    }
    const known = this.#known(name) ?? this.#inFlight.get(name);
    if (known !== undefined) return known;
    if (this.#askServers) return this.#ask(name);
    return { kind: "failed", error: "dns_not_asked", message: `${name} is not known here` };
  }

  /** The answer that needs no name server, not even an earlier one's: overrides, addresses, localhost, hosts file. */
  resolveLocally(hostname: string): Resolution | undefined {
    return this.#local(comparableHost(hostname));
  }

  /** Gives up all questions in flight; they end as dns_failure. */
  close(): void {
    this.#dns.cancel();
  }

  #known(name: string): Resolution | undefined {
    const local = this.#local(name);
    if (local !== undefined) return local;
    return isAskable(name) ? this.#cached(name) : notFound(name);
  }

  #local(name: string): Resolution | undefined {
    const fixed = this.#fixed(name);
    if (fixed !== undefined) return fixed;
    const listed = this.#hosts.lookup(name);
    return listed === undefined ? undefined : { kind: "addresses", addresses: listed };
  }

  /** Answers that never change: overrides, addresses, localhost. */
  #fixed(name: string): Resolution | undefined {
    const override = this.#overrides.get(name);
    if (override !== undefined) return toResolution(override);
    if (isIP(name) !== 0) return { kind: "addresses", addresses: [name] };
    const forAll = this.#overrides.get("*");
    if (forAll !== undefined) return toResolution(forAll);
    // RFC 6761, 6.3: these names never leave the machine.
    return name === "localhost" || name.endsWith(".localhost") ? LOOPBACK : undefined;
  }

  #cached(name: string): Resolution | undefined {
    const entry = this.#cache.get(name);
    if (entry === undefined) return undefined;
    this.#cache.delete(name);
    if (this.#clock() >= entry.expiresAtMs) return undefined;
    this.#cache.set(name, entry);
    return entry.resolution;
  }

  #ask(name: string): Promise<Resolution> {
    const answer = this.#query(name).finally(() => this.#inFlight.delete(name));
    this.#inFlight.set(name, answer);
    return answer;
  }

  async #query(name: string): Promise<Resolution> {
    const [four, six] = await Promise.all([this.#records(name, 4), this.#records(name, 6)]);
    const addresses = [...four.addresses, ...six.addresses];
    const codes = [four.code, six.code].filter((code) => code !== undefined);
    const resolution: Resolution =
      addresses.length > 0 ? { kind: "addresses", addresses } : failure(name, codes);
    this.#remember(name, resolution, Math.min(four.ttlMs, six.ttlMs));
    return resolution;
  }

  #records(name: string, family: 4 | 6): Promise<Records> {
    return new Promise((resolve) => {
      const done = (error: NodeJS.ErrnoException | null, records?: readonly Answer[]) =>
        resolve(error === null ? toRecords(records ?? []) : { ...NONE, code: error.code });
      // A name that the resolver itself refuses is thrown, not called back.
      try {
        if (family === 4) this.#dns.resolve4(name, { ttl: true }, done);
        else this.#dns.resolve6(name, { ttl: true }, done);
      } catch {
        resolve({ ...NONE, code: "EBADNAME" });
      }
    });
  }

  #remember(name: string, resolution: Resolution, announcedMs: number): void {
    const ttlMs =
      resolution.kind === "addresses"
        ? Math.min(Math.max(announcedMs, this.#ttlMs.min), this.#ttlMs.max)
        : resolution.error === "dns_not_found"
          ? this.#negativeTtlMs
          : Math.min(FAILURE_TTL_MS, this.#negativeTtlMs);
    const entry = { resolution, expiresAtMs: this.#clock() + ttlMs };
    keepLatest(this.#cache, name, entry, this.#maxEntries);
  }
}

interface Answer {
  address: string;
  ttl: number;
}

interface Records {
  addresses: readonly string[];
  ttlMs: number;
  code: string | undefined;
}

const NONE: Records = { addresses: [], ttlMs: Number.POSITIVE_INFINITY, code: undefined };

function toRecords(records: readonly Answer[]): Records {
  const addresses = [...new Set(records.map(({ address }) => address))];
  const ttlMs = Math.min(...records.map(({ ttl }) => ttl * 1000));
  return { addresses, ttlMs, code: undefined };
}

function toResolution({ address, port }: Override): Resolution {
  return { kind: "addresses", addresses: [address], connectPort: port };
}

/** Names that no server can know: RFC 1035 limits, and labels that are empty. */
function isAskable(name: string): boolean {
  return name.length > 0 && name.length <= 253 && name.split(".").every(isLabel);
}

function isLabel(label: string): boolean {
  return label.length > 0 && label.length <= 63;
}

function notFound(name: string): Resolution {
  return { kind: "failed", error: "dns_not_found", message: `the name ${name} does not exist` };
}

const ABSENT = new Set(["ENODATA", "EBADNAME"]);

function failure(name: string, codes: readonly string[]): Resolution {
  // ENOTFOUND is about the name; "no such record" only about one family, so both have to answer that.
  const trouble = codes.filter((code) => !ABSENT.has(code));
  if (trouble.length === 0 || codes.includes("ENOTFOUND")) return notFound(name);
  return trouble.includes("ETIMEOUT")
    ? { kind: "failed", error: "dns_timeout", message: `no name server answered for ${name}` }
    : {
        kind: "failed",
        error: "dns_failure",
        message: `name servers failed for ${name}: ${trouble[0]}`,
      };
}
