import { defaultUserAgent } from "../../config/user-agent.ts";
import { EXIT, OrbweaverError } from "../../errors.ts";
import type { PoliteClient } from "../../fetch/polite-client.ts";
import { ROBOTS_MAX_REDIRECTS } from "../../fetch/robots/robots-cache.ts";
import { fileOf } from "../../fetch/robots/robots-fetcher.ts";
import { ROBOTS_MAX_BYTES } from "../../fetch/robots/robots-lines.ts";
import { Host } from "../../frontier/host.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { hostnameOf, originOf } from "../../url/url-parts.ts";
import type { Io } from "../io.ts";
import { withOneOffClient } from "./one-off-client.ts";

/** Fetches the robots.txt of a URL's origin as the crawler would; a missing one is an empty one. */
export function fetchRobots(url: CrawlUrl, io: Io): Promise<Uint8Array> {
  const file = canonicalize(`${originOf(url)}/robots.txt`)!;
  return withOneOffClient(url, io, (client) => follow(client, file));
}

async function follow(client: PoliteClient, start: CrawlUrl): Promise<Uint8Array> {
  const headers: [string, string][] = [["User-Agent", defaultUserAgent(undefined)]];
  let url = start;
  for (let hops = 0; hops <= ROBOTS_MAX_REDIRECTS; hops++) {
    const host = new Host(hostnameOf(url), 0, 0);
    const asked = await client.ask(url, host, { headers, maxBodyBytes: ROBOTS_MAX_BYTES });
    if (asked.kind === "postponed") break;
    if (asked.kind !== "response") throw unreachable(url, asked.error);
    const file = await fileOf(asked.response);
    if (file.status >= 500) throw unreachable(url, `status ${file.status}`);
    if (file.status >= 200 && file.status < 300) return file.body;
    const next = file.location === undefined ? undefined : canonicalize(file.location, url);
    if (next === undefined) break;
    url = next;
  }
  return new Uint8Array(0);
}

function unreachable(url: CrawlUrl, why: string): OrbweaverError {
  return new OrbweaverError(
    "OW_ROBOTS_UNREACHABLE",
    `${url} cannot be read (${why}); the crawler would leave the whole host alone and try again`,
    EXIT.fault,
  );
}
