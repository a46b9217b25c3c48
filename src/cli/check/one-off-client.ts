import { openTransport } from "../../fetch/open-transport.ts";
import type { FetchOutcome } from "../../fetch/outcome.ts";
import { PoliteClient } from "../../fetch/polite-client.ts";
import { AddressPolicy } from "../../fetch/route/address.ts";
import { type ConsentConfig, pinConsents } from "../../fetch/route/consent.ts";
import { NameResolver } from "../../fetch/route/resolve.ts";
import { RouteFinder } from "../../fetch/route/route.ts";
import { Gatekeeper } from "../../frontier/gatekeeper.ts";
import { Host } from "../../frontier/host.ts";
import { GateTable, gateBytes } from "../../sync/gate-table.ts";
import { MaximumTable, maximumBytes } from "../../sync/maximum-table.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf, partsOf } from "../../url/url-parts.ts";
import type { Io } from "../io.ts";

/** How one document is asked for. */
export interface OneOffRequest<T> {
  readonly url: CrawlUrl;
  readonly headers: [string, string][];
  readonly maxBodyBytes: number;
  readonly maxRedirects: number;
  /** What an answer means: the URL to ask instead, or the result. */
  read(
    asked: FetchOutcome,
    url: CrawlUrl,
  ): Promise<{ readonly next: CrawlUrl } | { readonly result: T }>;
}

const NO_SETTINGS: ConsentConfig = {
  consentedHosts: [],
  allowPrivate: [],
  resolve: [],
  nameServers: [],
  loopbackOnly: false,
  proxies: [],
};

/**
 * Fetches one document with the crawler's own client and follows its redirects; undefined when there are too many.
 * The URL was typed, which consents to exactly its host and port; a redirect is checked like any link.
 */
export async function fetchOnce<T>(
  typed: CrawlUrl,
  io: Io,
  request: OneOffRequest<T>,
): Promise<T | undefined> {
  const { hostname, port } = partsOf(typed);
  const consents = await pinConsents({ ...NO_SETTINGS, consentedHosts: [`${hostname}:${port}`] });
  const gates = new GateTable(new SharedArrayBuffer(gateBytes(1)), 1);
  const maxima = () => new MaximumTable(new SharedArrayBuffer(maximumBytes(1)));
  const transport = openTransport({ clock: io.now });
  const client = new PoliteClient({
    transport,
    routes: new RouteFinder({
      resolver: new NameResolver({ clock: io.now }),
      policy: new AddressPolicy({ consents, allow: [] }),
      contact: true,
    }),
    gatekeeper: new Gatekeeper({
      hosts: gates,
      addresses: gates,
      starts: gates,
      delays: maxima(),
      holds: maxima(),
      // Nothing is spaced: it asks once.
      delayMs: 0,
      perHost: 2,
      spaceHosts: false,
    }),
    clock: io.now,
  });
  try {
    let { url } = request;
    const { headers, maxBodyBytes, maxRedirects } = request;
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const host = new Host(hostnameOf(url), 0, 0);
      const asked = await client.ask(url, host, { headers, maxBodyBytes });
      const step = await request.read(asked, url);
      if ("result" in step) return step.result;
      url = step.next;
    }
    return undefined;
  } finally {
    await transport.close();
  }
}
