import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "../errors.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { dedupKey } from "../url/dedup-key.ts";
import { partsOf } from "../url/url-parts.ts";
import { complaint, type Origin, unknownSetting } from "./complaint.ts";
import { requireEffect } from "./effect.ts";
import type { BeforeRequest, PageFunction, PagePriority, ShouldVisit } from "./page-handler.ts";
import { printable } from "./printable.ts";
import { type CrawlConfig, type CrawlSettings, fields, type SettingName } from "./schema.ts";
import type { SeedList } from "./seeds/seed-file.ts";
import { readSeed } from "./seeds/seed-line.ts";
import { requireContact } from "./start-rule.ts";
import { defaultUserAgent } from "./user-agent.ts";
import { FUNCTION, moduleAt, moduleOf } from "./user-module.ts";
import { Refusal } from "./values/check.ts";
import { MAX_LINKS_PER_THREAD } from "./values/pace-limits.ts";

const PROGRAM: Origin = { kind: "program" };

/** Checks values against the schema and fills in defaults; `originOf` gives messages the user's own words. */
export function checkSettings(
  values: Readonly<Partial<Record<SettingName, unknown>>>,
  originOf: (name: SettingName) => Origin = () => PROGRAM,
): CrawlSettings {
  const checked: Partial<Record<SettingName, unknown>> = {};
  for (const [name, { check, makeDefault }] of fields) {
    const raw = values[name];
    const value = raw === undefined ? makeDefault?.() : check(raw);
    if (value instanceof Refusal) throw complaint(name, value, originOf(name));
    // One that was given as undefined is there, as it is with `...`.
    if (value !== undefined || name in values) checked[name] = value;
  }
  const unknown = Object.keys(values).find((name) => !fields.has(name as SettingName));
  if (unknown !== undefined) throw unknownSetting(unknown);
  return checked as CrawlSettings;
}

/** What is not part of the settings. */
export interface SeedSources {
  /** The seeds that were typed as arguments; only they permit a private address. */
  readonly typed?: readonly string[];
  /** The content of the seed file. */
  readonly list?: SeedList;
}

/** Makes the configuration of a crawl: seeds canonical and without duplicates, derived values filled in. */
export function configFrom(settings: CrawlSettings, sources: SeedSources = {}): CrawlConfig {
  const given = [
    ...settings.seeds.map(canonicalSeed),
    ...(sources.list?.seeds ?? []).map(({ url }) => url),
  ];
  // Two spellings of one page are one seed; the first stays.
  const byKey = new Map<string, CrawlUrl>();
  for (const url of given) {
    const key = dedupKey(url, settings);
    if (!byKey.has(key)) byKey.set(key, url);
  }
  const seeds = [...byKey.values()];
  if (seeds.length === 0) {
    throw new UsageError(
      "there is nothing to crawl; give at least one URL, for example orbweaver crawl https://example.org/",
    );
  }
  requireContact(seeds, settings);
  requireFitting(settings);
  return Object.freeze({
    ...settings,
    seeds,
    // `resume` may be called from anywhere.
    ...modulesAt(settings),
    ...cookiesAt(settings),
    recrawl: settings.recrawl === undefined ? undefined : resolve(settings.recrawl),
    ...linksOf(settings),
    ...buildersOf(settings),
    perHost: settings.perHost ?? defaultPerHost({ ...settings, ...linksOf(settings) }),
    // Every thread owns at least one shard.
    shards: Math.max(settings.shards, settings.threads),
    userAgent: settings.userAgent ?? defaultUserAgent(settings.contact),
    consentedHosts: [...new Set((sources.typed ?? []).map(hostAndPort))],
    loopbackOnly: settings.contact === undefined,
    rejectedSeeds: sources.list?.rejected ?? [],
  });
}

/** Connections to a host when none are asked for: one, or as many as there are at all, for no delay is for a server of one's own. */
export function defaultPerHost({
  delayMs,
  threads,
  linksPerThread,
  adaptsLinks,
}: Pick<CrawlConfig, "delayMs" | "threads" | "linksPerThread" | "adaptsLinks">): number {
  return delayMs === 0 ? threads * (adaptsLinks ? MAX_LINKS_PER_THREAD : linksPerThread) : 1;
}

/** Requests in flight in each thread: a fixed number when one was given. */
export function linksOf({ linksPerThread }: Pick<CrawlSettings, "linksPerThread">) {
  return {
    linksPerThread: linksPerThread ?? FIRST_LINKS_PER_THREAD,
    adaptsLinks: linksPerThread === undefined,
  };
}

/** Builder threads: a fixed number when one was given. */
export function buildersOf({ builders }: Pick<CrawlSettings, "builders">) {
  return { builders: builders ?? 1, placesBuilder: builders === undefined };
}

/** Where they adapt, a thread begins with so many. */
const FIRST_LINKS_PER_THREAD = 64;

/** Refuses settings that exclude each other. */
export function requireFitting(settings: Omit<CrawlSettings, "seeds">): void {
  requireSharedFits(settings);
  if (settings.frontier === "engine" && settings.engine === undefined)
    throw new UsageError(
      "--frontier engine needs --engine, the server of the crawl, for example --engine redis://127.0.0.1:6379",
    );
  requireEarlierCrawl(settings.recrawl);
}

/** The settings that name modules, wherever a crawl is resumed from. */
export function modulesAt(given: Partial<Record<HookName | "handler", string | undefined>>) {
  return {
    priority: moduleAt(given.priority),
    shouldVisit: moduleAt(given.shouldVisit),
    beforeRequest: moduleAt(given.beforeRequest),
    handler: moduleAt(given.handler),
  };
}

/** Cookies of a file, which `resume` finds from anywhere; the file has two names. */
export function cookiesAt({
  cookies,
  cookieFile,
}: Partial<Pick<CrawlSettings, "cookies" | "cookieFile">>) {
  const file = typeof cookies === "string" ? cookies : cookieFile;
  return {
    cookies: cookies !== false && cookies !== undefined,
    cookieFile: file === undefined ? undefined : resolve(file),
  };
}

type HookName = "priority" | "shouldVisit" | "beforeRequest";

/** What a program may set: as the command line, and functions instead of the names of modules. */
export type ProgramSettings = Readonly<
  Omit<Partial<CrawlSettings>, HookName | "handler" | "seeds" | "include" | "exclude"> & {
    /** One URL or several. */
    seeds?: string | readonly string[] | undefined;
    /** Expressions, or their texts. */
    include?: Patterns | undefined;
    exclude?: Patterns | undefined;
    /** The name of a module, or a function, of which only the text goes to the threads. */
    priority?: string | PagePriority | undefined;
    shouldVisit?: string | ShouldVisit | undefined;
    beforeRequest?: string | BeforeRequest | undefined;
    /** The name of a module, which every crawler thread loads, or a function, which runs on the main thread. */
    handler?: string | PageFunction | undefined;
    /** As in Crawlee: a `handler` that is a function, and follows nothing but what it enqueues. */
    requestHandler?: PageFunction | undefined;
    /** As in Crawlee: `maxPages`. */
    maxRequestsPerCrawl?: number | undefined;
    /** Stops the crawl, which is committed then. */
    signal?: AbortSignal | undefined;
  }
>;

/** Expressions, or their texts. */
export type Patterns = string | RegExp | readonly (string | RegExp)[];

/** The handler of a program that is a function; undefined when it is a module, or there is none. */
export function handlerFunction(values: ProgramSettings): PageFunction | undefined {
  const { handler, requestHandler } = values;
  if (typeof handler === "function") return handler;
  if (requestHandler === undefined) return undefined;
  return async (context) => {
    const answer = await requestHandler(context);
    // Without this the page's own links would be followed.
    context.enqueue([]);
    return answer;
  };
}

/** The settings under our names and in our forms. */
function translated(values: ProgramSettings): Partial<Record<SettingName, unknown>> {
  const { requestHandler, maxRequestsPerCrawl, signal: _signal, ...rest } = values;
  if (values.onEnd !== undefined)
    throw new UsageError("onEnd is for the command: a program awaits the crawl, and goes on");
  if (requestHandler !== undefined && values.handler !== undefined)
    throw new UsageError("requestHandler and handler are the same: give one of them");
  if (requestHandler !== undefined && typeof requestHandler !== "function")
    throw new UsageError("requestHandler is a function; the name of a module is given as handler");
  const isFunction = typeof values.handler === "function" || requestHandler !== undefined;
  return {
    ...rest,
    seeds: typeof values.seeds === "string" ? [values.seeds] : values.seeds,
    include: patternTexts("include", values.include),
    exclude: patternTexts("exclude", values.exclude),
    priority: moduleOf("priority", values.priority),
    shouldVisit: moduleOf("shouldVisit", values.shouldVisit),
    beforeRequest: moduleOf("beforeRequest", values.beforeRequest),
    handler: isFunction ? FUNCTION : values.handler,
    maxPages: values.maxPages ?? maxRequestsPerCrawl,
  };
}

function patternTexts(name: string, patterns: Patterns | undefined): unknown {
  if (patterns === undefined) return undefined;
  const all = Array.isArray(patterns) ? patterns : [patterns];
  return all.map((pattern: string | RegExp) => {
    if (!(pattern instanceof RegExp)) return pattern;
    // Those say nothing about whether a URL matches.
    if (pattern.flags.replace(/[dgsy]/g, "") === "") return pattern.source;
    throw new UsageError(
      `${name}: ${printable(String(pattern))} has ${pattern.flags.length === 1 ? "the flag" : "the flags"} ${pattern.flags}, which a crawl folder cannot keep; write it without, for example [Aa] for a`,
    );
  });
}

/** The configuration of a program that uses the library: the same checks, no consent to private addresses. */
export function configOf(values: ProgramSettings): CrawlConfig {
  const given = Object.entries(translated(values)).filter(([, value]) => value !== undefined);
  const checked = checkSettings(Object.fromEntries(given));
  requireEffect(checked, given.map(([name]) => name) as SettingName[], () => PROGRAM);
  return configFrom(checked);
}

/** What a program changes when it resumes a crawl, checked. */
export function changesOf(values: ProgramSettings): Partial<CrawlSettings> {
  const given = Object.entries(translated(values)).filter(([, value]) => value !== undefined);
  // Seeds are asked for by the schema, and stay what they were.
  const checked = checkSettings({ seeds: ["http://127.0.0.1/"], ...Object.fromEntries(given) });
  const names = given.map(([name]) => name as SettingName);
  return Object.fromEntries(names.map((name) => [name, checked[name]]));
}

/** --recrawl needs the folder of a finished crawl. */
function requireEarlierCrawl(dir: string | undefined): void {
  if (dir === undefined || existsSync(join(dir, "indexes", "index.cdxj"))) return;
  throw new UsageError(
    `--recrawl ${printable(dir)}: there is no finished crawl in that folder; use the folder of an earlier crawl, for example --recrawl crawls/last-week`,
  );
}

/** Refuses settings that a shared frontier cannot satisfy. */
function requireSharedFits(settings: Omit<CrawlSettings, "seeds">): void {
  if (settings.frontier !== "shared") return;
  const { sync, frontierSize, perHost = 1, delayMs } = settings;
  if (frontierSize === "grow" && sync !== "coarse" && sync !== "fine") {
    throw new UsageError(
      `--frontier-size grow needs a list: use --sync coarse or --sync fine, not ${sync}`,
    );
  }
  if (settings.order === "opic") {
    throw new UsageError("--order opic needs --frontier sharded, where a site has one owner");
  }
  if (perHost > 1 && delayMs > 0) {
    throw new UsageError(
      "--per-host above 1 with a delay needs --frontier sharded, where a host has one owner that counts",
    );
  }
}

function canonicalSeed(text: string): CrawlUrl {
  const seed = readSeed(text);
  if ("url" in seed) return seed.url;
  // The schema has refused such a seed already; this is for callers that skipped it.
  throw new UsageError(`the seed ${JSON.stringify(text)} cannot be crawled: ${seed.reason}`);
}

function hostAndPort(text: string): string {
  const { hostname, port } = partsOf(canonicalSeed(text));
  return `${hostname}:${port}`;
}
