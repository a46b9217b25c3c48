import { defaultUserAgent } from "../config/user-agent.ts";
import { EXIT, OrbweaverError } from "../errors.ts";
import { AddressPolicy } from "../fetch/address.ts";
import { PoliteClient } from "../fetch/polite-client.ts";
import { NameResolver } from "../fetch/resolve.ts";
import { ROBOTS_MAX_REDIRECTS } from "../fetch/robots-cache.ts";
import { fileOf } from "../fetch/robots-desk.ts";
import { ROBOTS_MAX_BYTES } from "../fetch/robots-lines.ts";
import { WireClient } from "../fetch/wire/client.ts";
import { Gatekeeper } from "../frontier/gatekeeper.ts";
import { Host } from "../frontier/host.ts";
import { GateTable, gateBytes } from "../sync/gate-table.ts";
import { type CrawlUrl, canonicalize } from "../url/crawl-url.ts";
import { hostnameOf, originOf, partsOf } from "../url/url-parts.ts";
import type { Io } from "./io.ts";

/** Fetches the robots.txt of a URL's origin as the crawler would; a missing one is an empty one. */
export async function fetchRobots(url: CrawlUrl, io: Io): Promise<Uint8Array> {
  const { hostname, port } = partsOf(url);
  const gates = new GateTable(new SharedArrayBuffer(gateBytes(1)), 1);
  const wire = new WireClient({ clock: io.now });
  const client = new PoliteClient({
    wire,
    resolver: new NameResolver({ clock: io.now }),
    // The URL was typed, which consents to exactly its host and port.
    policy: new AddressPolicy({ consentedHosts: [{ hostname, port }], allow: [] }),
    gatekeeper: new Gatekeeper({ hosts: gates, addresses: gates, delayMs: 0, perHost: 1 }),
    contact: true,
    clock: io.now,
  });
  try {
    return await follow(client, canonicalize(`${originOf(url)}/robots.txt`)!);
  } finally {
    await wire.close();
  }
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
    if ("failed" in file) throw unreachable(url, file.failed);
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
