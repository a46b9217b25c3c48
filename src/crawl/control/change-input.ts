import { printable } from "../../config/printable.ts";
import { readSeed, withoutCredentials } from "../../config/seeds/seed-line.ts";
import { ControlError } from "../../errors.ts";
import type { HostSetting } from "../../frontier/host-settings.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";

/** Seeds that one call may add, and how long each may be. */
export const MAX_SEEDS_AT_ONCE = 1000;
const MAX_SEED_LENGTH = 4096;
const MAX_HOST_LENGTH = 255;
const DAY_MS = 24 * 3_600_000;

/** The least and the most that each setting of a host may be. */
export const HOST_BOUNDS = {
  delayMs: [0, DAY_MS],
  connections: [1, 256],
  budget: [0, 2 ** 31 - 1],
} as const satisfies Record<keyof HostSetting, readonly [number, number]>;

/** A seed that was not taken, and why: a stable code, and a sentence. */
export interface RefusedSeed {
  readonly url: string;
  readonly code: "bad_url" | "excluded" | "host_blocked";
  readonly reason: string;
}

/** The name of a host as URLs have it: "EXAMPLE.org." is example.org. Throws when it is none. */
export function checkHost(host: unknown): string {
  const isShort = typeof host === "string" && host.length > 0 && host.length <= MAX_HOST_LENGTH;
  // Anything but a name or an address would become another part of the URL.
  const url = isShort && /^[^\s/?#@\\]+$/.test(host) ? canonicalize(`http://${host}/`) : undefined;
  const hasPort = typeof host === "string" && /:\d*$/.test(host) && !host.endsWith("]");
  if (url === undefined || hasPort)
    throw new ControlError("input", `not the name of a host: ${shown(host)}`);
  return hostnameOf(url);
}

/** A number within its bounds; throws when it is none. */
export function checkWhole(value: unknown, name: string, least: number, most: number): number {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
    return value as number;
  throw new ControlError(
    "input",
    `${name} is a whole number from ${least} to ${most}, not ${shown(value)}`,
  );
}

/** What is to be set for a host: at least one thing, and nothing unknown. */
export function checkSetting(setting: unknown): HostSetting {
  const given = Object.entries(setting !== null && typeof setting === "object" ? setting : {});
  const some = given.filter(([, value]) => value !== undefined);
  const names = Object.keys(HOST_BOUNDS).join(", ");
  if (some.length === 0) throw new ControlError("input", `nothing to set: give ${names}`);
  const checked = some.map(([name, value]) => {
    if (!Object.hasOwn(HOST_BOUNDS, name))
      throw new ControlError("input", `a host has ${names}, not ${shown(name)}`);
    const [least, most] = HOST_BOUNDS[name as keyof HostSetting];
    return [name, checkWhole(value, name, least, most)];
  });
  return Object.fromEntries(checked);
}

/** Seeds as a seed file would have them; `refusal` says why a URL is not taken although it is one. */
export function checkSeeds(
  urls: unknown,
  refusal: (url: CrawlUrl) => RefusedSeed["code"] | undefined,
): { seeds: CrawlUrl[]; refused: RefusedSeed[] } {
  if (!Array.isArray(urls) || urls.length === 0 || urls.length > MAX_SEEDS_AT_ONCE)
    throw new ControlError("input", `seeds are a list of 1 to ${MAX_SEEDS_AT_ONCE} URLs`);
  const seeds = new Set<CrawlUrl>();
  const refused: RefusedSeed[] = [];
  for (const text of urls as unknown[]) {
    const isText = typeof text === "string" && text.length <= MAX_SEED_LENGTH;
    const read = isText ? readSeed(text) : { reason: "it is no text of at most 4096 characters" };
    if ("reason" in read) {
      refused.push({ url: shown(text), code: "bad_url", reason: read.reason });
      continue;
    }
    const code = refusal(read.url);
    if (code === undefined) seeds.add(read.url);
    else refused.push({ url: shown(read.url), code, reason: REASONS[code] });
  }
  return { seeds: [...seeds], refused };
}

const REASONS: Readonly<Record<RefusedSeed["code"], string>> = {
  bad_url: "it is not a URL",
  excluded: "--exclude leaves it out",
  host_blocked: "its host was blocked",
};

/** What was given, short, on one line, without a password. */
function shown(value: unknown): string {
  return printable(withoutCredentials(String(value)), 200);
}
