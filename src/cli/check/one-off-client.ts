import { openTransport } from "../../fetch/open-transport.ts";
import { PoliteClient } from "../../fetch/polite-client.ts";
import { AddressPolicy } from "../../fetch/route/address.ts";
import { NameResolver } from "../../fetch/route/resolve.ts";
import { RouteFinder } from "../../fetch/route/route.ts";
import { Gatekeeper } from "../../frontier/gatekeeper.ts";
import { GateTable, gateBytes } from "../../sync/gate-table.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { partsOf } from "../../url/url-parts.ts";
import type { Io } from "../io.ts";

/** Asks for the one document that a user typed the URL of, with the crawler's own client, and closes it again. */
export async function withOneOffClient<T>(
  typed: CrawlUrl,
  io: Io,
  use: (client: PoliteClient) => Promise<T>,
): Promise<T> {
  const { hostname, port } = partsOf(typed);
  const gates = new GateTable(new SharedArrayBuffer(gateBytes(1)), 1);
  const transport = openTransport({ clock: io.now });
  const client = new PoliteClient({
    transport,
    routes: new RouteFinder({
      resolver: new NameResolver({ clock: io.now }),
      // The URL was typed, which consents to exactly its host and port; a redirect is checked like any link.
      policy: new AddressPolicy({ consentedHosts: [{ hostname, port }], allow: [] }),
      contact: true,
    }),
    gatekeeper: new Gatekeeper({
      hosts: gates,
      addresses: gates,
      starts: gates,
      // Nothing is spaced: it asks once.
      delayMs: 0,
      perHost: 2,
      spaceHosts: false,
    }),
    clock: io.now,
  });
  try {
    return await use(client);
  } finally {
    await transport.close();
  }
}
