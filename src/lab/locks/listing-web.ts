import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RemoteWeb, startWebProcess } from "../../web/web-process.ts";

/** A web of listings: each links to some pages without links, and then to the next listing. */
export interface ListingWeb {
  readonly listings: number;
  readonly leaves: number;
  readonly latencyMs: number;
}

/**
 * Serves such a web. Its links come in bursts: while one thread fetches the next listing all others wait for a URL, and
 * then a burst finds them asleep. That is what the collapse of a monitor with one condition needs.
 */
export function startListingWeb(web: ListingWeb, scratch: string): Promise<RemoteWeb> {
  const file = join(scratch, `listings-${web.leaves}.graph-txt`);
  writeFileSync(file, listingGraph(web.listings, web.leaves));
  return startWebProcess({ graph: file, latencyMs: web.latencyMs });
}

/** The link graph in WebGraph's text form. */
export function listingGraph(listings: number, leaves: number): string {
  const pages = listings * (leaves + 1);
  const lines = [String(pages)];
  for (let page = 0; page < pages; page++) {
    const isListing = page % (leaves + 1) === 0;
    const targets = isListing ? Array.from({ length: leaves + 1 }, (_, i) => page + 1 + i) : [];
    lines.push(targets.filter((target) => target < pages).join(" "));
  }
  return `${lines.join("\n")}\n`;
}
