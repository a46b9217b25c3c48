import { resolve } from "node:path";
import { UsageError } from "../errors.ts";
import {
  buildersOf,
  cookiesAt,
  defaultPerHost,
  linksOf,
  modulesAt,
  requireFitting,
} from "./crawl-config.ts";
import { printable } from "./printable.ts";
import { type CrawlConfig, type CrawlSettings, type SettingName, settings } from "./schema.ts";
import { readSeed } from "./seeds/seed-line.ts";
import { defaultUserAgent } from "./user-agent.ts";

/** Settings of the next run, by name. */
export type GivenSettings = Partial<CrawlSettings>;

/**
 * The configuration of the next run of a crawl: as it was, with what is given now. Throws for a setting that belongs to
 * the crawl and is not what it was; the same value as before may be given again, also by the same file.
 */
export function resumedConfig(old: CrawlConfig, given: GivenSettings, out: string): CrawlConfig {
  requireUnchanged({ ...old, out }, given);
  const { seeds: _seeds, seedsFile: _file, out: _out, linksPerThread, builders, ...rest } = given;
  // No cookies means those of a file neither.
  const noFile = given.cookies === false ? { cookieFile: given.cookieFile } : {};
  // A number that is given fixes the requests in flight; without one they go on as they were.
  const links = linksPerThread === undefined ? {} : linksOf({ linksPerThread });
  const building = builders === undefined ? {} : buildersOf({ builders });
  const now = { ...old, ...rest, ...links, ...building, ...noFile };
  const wasDefault = {
    perHost: old.perHost === defaultPerHost(old),
    userAgent: old.userAgent === defaultUserAgent(old.contact),
  };
  const config: CrawlConfig = {
    ...now,
    out,
    perHost: given.perHost ?? (wasDefault.perHost ? defaultPerHost(now) : old.perHost),
    userAgent:
      given.userAgent ?? (wasDefault.userAgent ? defaultUserAgent(now.contact) : old.userAgent),
    loopbackOnly: now.contact === undefined,
    ...modulesAt(now),
    ...cookiesAt(now),
  };
  requireFitting(config);
  if (config.threads > config.shards) {
    throw new UsageError(
      `this crawl has ${config.shards} shards, so at most ${config.shards} threads can work on it`,
    );
  }
  return config;
}

/** Throws when a setting that a crawl keeps is given another value; what a crawl of an older version did not know may be given. */
export function requireUnchanged(
  old: Partial<CrawlConfig>,
  given: Partial<CrawlConfig> | GivenSettings,
): void {
  for (const [name, option] of settings) {
    const now = given[name];
    if (option.fixed === undefined || now === undefined || isSame(name, old, now)) continue;
    const show = (value: unknown) => {
      const text = value === undefined ? "not set" : option.show(value as never);
      return printable(text === "" ? "not set" : text);
    };
    const flag = option.flag === "" ? "the seeds" : `--${option.flag}`;
    throw new UsageError(
      `${flag} cannot change when a crawl is resumed: it is ${show(old[name])} and cannot become ${show(now)}, because ${option.fixed}; crawl anew into another folder`,
    );
  }
}

function isSame(name: SettingName, old: Partial<CrawlConfig>, now: unknown): boolean {
  const before = old[name];
  // Older versions did not write down everything.
  if (!(name in old) && name !== "seedsFile") return true;
  if (name === "out") return resolve(String(before)) === resolve(String(now));
  // A file names the seeds that it named before; others may have been typed, or come from a seed file.
  if (name === "seeds") return canonical(now).every((url) => canonical(before).includes(url));
  if (name === "order") return before === now || ![before, now].includes("opic");
  return JSON.stringify(before) === JSON.stringify(now);
}

function canonical(seeds: unknown): string[] {
  return (seeds as readonly string[]).map((text) => {
    const seed = readSeed(text);
    return "url" in seed ? seed.url : text;
  });
}
