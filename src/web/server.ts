import type { Socket } from "node:net";
import { UsageError } from "../errors.ts";
import { FolderFiles } from "./folder/folder-files.ts";
import { FolderContent } from "./folder/folder-web.ts";
import { checkProfile, type Latency, PROFILES, type WebProfile } from "./profile.ts";
import type { ServedCounts, WebContent, WebTruth } from "./serving/content.ts";
import { isLoopback, listenAll, nthAddress } from "./serving/listen.ts";
import { type PaceReport, PolitenessMeter } from "./serving/meter.ts";
import { Connection, type Exchange } from "./serving/server-connection.ts";
import { makeGraph } from "./synthetic/graph.ts";
import { readGraphFile } from "./synthetic/graph-file.ts";
import { NumberNames, VariedNames } from "./synthetic/page-names.ts";
import { SyntheticContent } from "./synthetic/synthetic-web.ts";

/** What to serve, and under which names; without `dir` and `graph` a synthetic web is made from the profile. */
export interface WebOptions {
  profile?: WebProfile;
  /** Serves this folder. */
  dir?: string;
  /** Path of the folder's start page; else its index.html, the nearest to the top. */
  startPath?: string;
  /** Serves the folder under so many host names, each path under one of them. */
  spread?: number;
  /** Serves the link graph in this file. */
  graph?: string;
  /** Hosts of the web, instead of as many as the profile says. */
  hosts?: number;
  /** Names of the hosts, or how many: host0.test and so on. Without it hosts are loopback addresses. */
  hostNames?: string[] | number;
  port?: number;
  /** Where to listen; the first address when hosts are addresses. Loopback only. */
  address?: string;
  /** The gap that each host is promised, from the end of a response to the next request. */
  delayMs?: number;
  /** Instead of the profile's, and for folders and graphs. */
  latencyMs?: Latency | number;
  /** Milliseconds of a monotonic clock, for tests. */
  now?: () => number;
}

/** What the web saw while it was crawled. */
export interface WebReport extends PaceReport, ServedCounts {}

/** A web that answers. */
export interface RunningWeb {
  readonly port: number;
  /** The first listening address, as a URL without path. */
  readonly origin: string;
  readonly start: string[];
  truth(): WebTruth;
  report(): WebReport;
  /** Requests so far, host by host, in the order of the hosts. */
  requestsOfHosts(): number[];
  /** Options of `crawl` that lead the host names here; none when hosts are addresses. */
  resolveArguments(): string[];
  close(): Promise<void>;
}

/** Makes a web and serves it on loopback until it is closed. */
export async function startWeb(options: WebOptions = {}): Promise<RunningWeb> {
  if (options.dir !== undefined && options.graph !== undefined) {
    throw new UsageError("a web serves a folder or a graph, not both");
  }
  const address = options.address ?? "127.0.0.1";
  if (!isLoopback(address)) throw new UsageError(`${address} is not a loopback address`);
  const names = hostNames(options);
  const hosts = names?.length ?? (options.dir === undefined ? hostCount(options) : 1);
  const makeContent = await prepare(options, hosts);

  const addresses = names
    ? [address]
    : Array.from({ length: hosts }, (_, host) => nthAddress(address, host));
  const sockets = new Set<Socket>();
  // A client that connects before all addresses listen is refused: there is no content yet.
  let exchange: Exchange | undefined;
  const listeners = await listenAll(addresses, options.port ?? 0, (socket) => {
    if (!exchange) return void socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    new Connection(socket, exchange);
  });
  const { port } = listeners;
  const authorities = names ?? addresses.map((host) => (port === 80 ? host : `${host}:${port}`));
  const content = makeContent(authorities);
  const delayMs = options.delayMs ?? 0;
  const meter = new PolitenessMeter(authorities, (host) =>
    Math.max(delayMs, content.crawlDelayMs(host)),
  );
  const indexes = hostIndexes(authorities, port);
  const hostIndex = (authority: string): number =>
    indexes.get(authority) ?? indexes.get(authority.toLowerCase()) ?? -1;
  exchange = { content, meter, hostIndex, now: options.now ?? (() => performance.now()) };

  let truth: WebTruth | undefined;
  const theTruth = (): WebTruth => {
    truth ??= content.truth();
    return truth;
  };
  return {
    port,
    origin: `http://${address}:${port}`,
    start: content.start(),
    truth: () => structuredClone(theTruth()),
    report: () => ({ ...meter.report(), ...content.served() }),
    requestsOfHosts: () => meter.requestsOfHosts(),
    resolveArguments: () =>
      (names ?? []).flatMap((name) => ["--resolve", `${name}:${address}:${port}`]),
    close: async () => {
      const closed = listeners.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function hostCount(options: WebOptions): number {
  if (options.hosts !== undefined) return options.hosts;
  return options.graph === undefined ? (options.profile ?? PROFILES.demo).hosts : 1;
}

/** The host names, or undefined when hosts are addresses. */
function hostNames(options: WebOptions): string[] | undefined {
  const { spread, hostNames } = options;
  if (spread !== undefined) {
    if (options.dir === undefined)
      throw new UsageError("only a folder can be spread over host names");
    return numbered("site", spread);
  }
  if (typeof hostNames !== "object")
    return hostNames === undefined ? undefined : numbered("host", hostNames);
  for (const name of hostNames) {
    if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)) {
      throw new UsageError(`${JSON.stringify(name)} is not a host name in lower case`);
    }
  }
  if (hostNames.length === 0 || new Set(hostNames).size < hostNames.length) {
    throw new UsageError("host names must be there, each once");
  }
  return [...hostNames];
}

function numbered(name: string, count: number): string[] {
  if (!Number.isInteger(count) || count < 1 || count > 65_536) {
    throw new UsageError("the number of host names must be from 1 to 65536");
  }
  return Array.from({ length: count }, (_, index) => `${name}${index}.test`);
}

/** Host headers that are accepted: with and without a port, since clients differ in what they send. */
function hostIndexes(authorities: readonly string[], port: number): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, authority] of authorities.entries()) {
    indexes.set(authority, index);
    if (authority.includes(":")) continue;
    indexes.set(`${authority}:80`, index);
    indexes.set(`${authority}:${port}`, index);
  }
  return indexes;
}

/** Does what may fail or take time before anything listens; the ports of the hosts are known only afterwards. */
async function prepare(
  options: WebOptions,
  hosts: number,
): Promise<(authorities: readonly string[]) => WebContent> {
  const wanted = options.latencyMs;
  const latencyMs: Latency | 0 | undefined =
    typeof wanted === "number" ? wanted && { median: wanted, spread: 0 } : wanted;
  if (options.dir !== undefined) {
    const files = new FolderFiles(options.dir);
    const startPath = options.startPath ?? files.startPath();
    if (startPath === undefined) {
      throw new UsageError(`${options.dir} holds no HTML file to start from`);
    }
    if (!startPath.startsWith("/")) throw new UsageError(`${startPath} must begin with /`);
    const spread = options.spread !== undefined;
    return (authorities) =>
      new FolderContent(files, { authorities, spread, startPath, latencyMs: latencyMs ?? 0 });
  }
  const base = options.profile ?? PROFILES.demo;
  const profile = { ...base, hosts, latencyMs: latencyMs ?? base.latencyMs };
  if (options.graph !== undefined) {
    const graph = await readGraphFile(options.graph, hosts);
    // A graph file is served as it is, unless a profile was named that adds faults.
    const asked = options.profile !== undefined;
    const plain = {
      ...profile,
      ...(!asked && { errorRate: 0, redirectShare: 0 }),
      robots: "none" as const,
    };
    return (authorities) => new SyntheticContent(plain, graph, new NumberNames(), authorities);
  }
  const graph = makeGraph(checkProfile(profile));
  const pageNames = new VariedNames(profile.seed, profile.robots !== "none");
  return (authorities) => new SyntheticContent(profile, graph, pageNames, authorities);
}
