import { productToken } from "../../config/user-agent.ts";
import { AddressShares } from "../../fetch/address-shares.ts";
import { readCookieFile } from "../../fetch/cookies/cookie-file.ts";
import { CookieJar } from "../../fetch/cookies/cookie-jar.ts";
import { OwnHeaders } from "../../fetch/credentials.ts";
import { Fetcher } from "../../fetch/fetcher.ts";
import { openTransport } from "../../fetch/open-transport.ts";
import { PoliteClient } from "../../fetch/polite-client.ts";
import { RobotsBoard } from "../../fetch/robots/robots-board.ts";
import { type ObeyedFile, RobotsFetcher } from "../../fetch/robots/robots-fetcher.ts";
import { AddressPolicy } from "../../fetch/route/address.ts";
import { NameResolver } from "../../fetch/route/resolve.ts";
import { RouteFinder } from "../../fetch/route/route.ts";
import { frontierTraits } from "../../frontier/frontier-memory.ts";
import { Gatekeeper } from "../../frontier/gatekeeper.ts";
import { Host } from "../../frontier/host.ts";
import { HostSettings } from "../../frontier/host-settings.ts";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { maxOpenFiles } from "../../runtime/open-files.ts";
import { EarlierCrawl } from "../../store/warc/earlier-crawl.ts";
import { extraFiles, type FileNeeds, mostLinksPerThread } from "../file-budget.ts";
import { gatesOf } from "../shared-memory.ts";
import { CostlySites } from "../visit/costly-sites.ts";
import { depthRulesOf, Follower } from "../visit/follower.ts";
import { FoundLinks } from "../visit/found-links.ts";
import { Guard } from "../visit/guard.ts";
import { ListReader } from "../visit/list-reader.ts";
import { NamedSitemaps } from "../visit/named-sitemaps.ts";
import { openScope } from "../visit/open-scope.ts";
import { validatorsOf } from "../visit/read-page.ts";
import { backOffMs } from "../visit/retry.ts";
import type { VisitParts } from "../visit/stages.ts";
import type { CrawlerRules } from "./crawler-rules.ts";

/** WARC and HTTP headers of a record, beside its body. */
const RECORD_EXTRA_BYTES = 64 * 1024;

/** The parts of a visit, and those of the network that the thread closes or counts. */
export interface CrawlerParts extends VisitParts {
  /** Closed when the thread ends, or drops what is in flight. */
  readonly client: PoliteClient;
  readonly robots: RobotsFetcher | undefined;
  readonly addresses: AddressShares;
}

/** Cached robots.txt rules of all threads together: some 100,000 hosts that allow everything. */
const MAX_ROBOTS_BYTES = 32 * 1024 * 1024;

/** Large bodies in memory at a time, for all threads together; each may always hold one. */
const MAX_LARGE_BODIES = 3;

/** Connections kept while their host's delay passes, for all threads together: opening one costs more than a small page. */
const MAX_IDLE = 4096;

/**
 * Builds the parts of one thread from its configuration. No host is asked before `startMs`; `onBytes` is told of
 * everything that arrives, `onRobots` of every robots.txt that is obeyed.
 */
export function crawlerParts(
  rules: CrawlerRules,
  startMs: number,
  onBytes: (bytes: number) => void,
  onRobots?: (file: ObeyedFile) => void,
): CrawlerParts {
  const { config, seedLow, seedHigh } = rules;
  const clock = monotonicMs;
  const transport = openTransport({
    limits: {
      connectMs: config.connectTimeoutMs,
      firstByteMs: config.firstByteTimeoutMs,
      totalMs: config.totalTimeoutMs,
      minRateBytesPerS: config.minRateBytesPerS,
      maxBodyBytes: config.maxBodyBytes,
    },
    insecure: config.insecure,
    maxIdle: idleConnections(config),
    largeBodies: Math.max(1, Math.floor(MAX_LARGE_BODIES / config.threads)),
    // With a delay, a request that died on a kept connection goes back to the queue instead.
    resend: config.delayMs === 0,
    onBytes,
    clock,
  });
  const settings = new HostSettings();
  const addresses = new AddressShares(config.linksPerThread);
  const gatekeeper = new Gatekeeper({
    ...gatesOf(rules.memory, rules.thread),
    delayMs: config.delayMs,
    perHost: config.perHost,
    spaceHosts: frontierTraits(config).needsGates,
    startMs,
    settings,
  });
  const resolver = new NameResolver({
    overrides: config.resolve,
    askServers: !config.loopbackOnly,
    ...(config.nameServers.length === 0 ? {} : { servers: config.nameServers }),
    clock,
  });
  const client = new PoliteClient({
    transport,
    resolver,
    routes: new RouteFinder({
      resolver,
      policy: new AddressPolicy({ consents: rules.consents, allow: config.allowPrivate }),
      contact: !config.loopbackOnly,
      proxies: config.proxies,
    }),
    gatekeeper,
    addresses,
    settings,
    clock,
  });
  const headers: [string, string][] = [
    ["User-Agent", config.userAgent],
    ["Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"],
    ["Accept-Encoding", "gzip, deflate, br"],
  ];
  const own = new OwnHeaders(headers, rules.credentials);
  const costly = new CostlySites(clock);
  const agent = productToken(config.userAgent);
  const robots = !config.robots
    ? undefined
    : new RobotsFetcher(client, {
        agent,
        headers: own.common,
        retries: config.retries,
        cacheBytes: Math.floor(MAX_ROBOTS_BYTES / config.threads),
        backOffMs: (failures) => backOffMs(config.delayMs, failures),
        onCost: (hostname, costMs) => costly.note(hostname, costMs),
        onFile: onRobots,
        onOther: (origin, found) => namedSitemaps.note(origin, found),
        strangerHost: (name) => {
          fingerprint(name, seedLow, seedHigh);
          const host = new Host(name, lastFingerprint.low, config.delayMs);
          host.isStranger = true;
          return host;
        },
        clock,
        board:
          rules.memory.robots === undefined
            ? undefined
            : new RobotsBoard({
                memory: rules.memory.robots,
                thread: rules.thread,
                agent,
                seedLow,
                seedHigh,
                claimMs: config.connectTimeoutMs + config.totalTimeoutMs,
              }),
      });
  const scope = openScope(config, rules.seeds);
  const follower = new Follower({
    scope,
    shouldVisit: rules.handler?.shouldVisit,
    ...depthRulesOf(config),
    maxRedirects: config.maxRedirects,
    seedLow,
    seedHigh,
  });
  const namedSitemaps = new NamedSitemaps({
    // A crawl of single pages fetches nothing else.
    sitemaps: config.scope === "page" ? "off" : config.sitemaps,
    robots: config.robots,
    refusal: (url, vouchedFor) => follower.listRefusal(url, vouchedFor),
    seedLow,
    seedHigh,
  });
  const earlier =
    config.recrawl === undefined
      ? undefined
      : new EarlierCrawl(config.recrawl, config.maxBodyBytes + RECORD_EXTRA_BYTES);
  const fetcher = new Fetcher(client, robots, {
    headers: own.common,
    own,
    beforeRequest: rules.handler?.beforeRequest,
    obeyTdm: config.obeyTdm,
    accept: config.accept,
    clock,
    ...(earlier === undefined ? {} : { validators: (url) => validatorsOf(earlier, url) }),
    cookies: openCookies(config),
    listTap: (url) => new ListReader(url),
    onRules: (origin, found) => namedSitemaps.note(origin, found),
  });
  const guard = new Guard({ ...config, clock, evidence: rules.memory.evidence });
  const foundLinks = new FoundLinks(follower, config);
  return {
    client,
    settings,
    addresses,
    gatekeeper,
    robots,
    fetcher,
    scope,
    follower,
    foundLinks,
    namedSitemaps,
    earlier,
    guard,
    costly,
  };
}

function openCookies({ cookies, cookieFile }: CrawlerRules["config"]): CookieJar | undefined {
  if (cookieFile !== undefined) return new CookieJar(Date.now, readCookieFile(cookieFile));
  return cookies ? new CookieJar() : undefined;
}

/** Connections that a thread keeps: one per place in flight, and half of the extra files; recovery may use the other half. */
export function idleConnections(config: FileNeeds, files: number = maxOpenFiles()): number {
  const links = mostLinksPerThread(config, files);
  const extra = Math.floor(extraFiles(config, files) / 2);
  return Math.max(links, Math.min(Math.floor(MAX_IDLE / config.threads), links + extra));
}
