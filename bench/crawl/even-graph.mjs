import { Random } from "../../build/src/web/seeded-random.js";

/** Links of a page, and how many of them are new in a breadth-first crawl. */
export const LINKS = 12;
export const NEW_LINKS = 2;
const TO_OTHER_HOSTS = 1;
const TRIES = 4;

/**
 * A link graph in which every page of a breadth-first crawl is as much work as any other: two links to new pages, the
 * rest to known ones, half of them to popular pages and half to any. In a graph drawn at random nearly all links are
 * new at first and known at last. The pages of a host are a binary heap; only the last half of them lead nowhere new.
 */
export function evenGraph(hosts, pagesPerHost) {
  const pages = hosts * pagesPerHost;
  const targets = new Uint32Array(LINKS * pages);
  const first = (host) => host * pagesPerHost;
  for (let host = 0; host < hosts; host++) {
    // Random numbers of its own, in the order of its pages: its first pages stay the same, however many follow.
    const random = new Random(host + 1);
    for (let page = 0; page < pagesPerHost; page++) {
      const from = LINKS * (first(host) + page);
      let to = from;
      for (let child = NEW_LINKS * page + 1; to < from + NEW_LINKS; child++)
        targets[to++] = first(host) + (child < pagesPerHost ? child : page);
      // The pages that earlier pages of the host link to; other hosts are about as far.
      const known = Math.min(pagesPerHost, NEW_LINKS * page + 1);
      for (; to < from + LINKS; to++) {
        const isForeign = to >= from + LINKS - TO_OTHER_HOSTS && hosts > 1;
        const at = isForeign ? (host + 1 + random.below(hosts - 1)) % hosts : host;
        const count = isForeign ? Math.ceil(known / 2) : known;
        for (let attempt = 0; attempt < TRIES; attempt++) {
          const u = random.next();
          targets[to] = first(at) + Math.floor(count * (to % 2 === 0 ? u : u ** 4));
          if (!targets.subarray(from, to).includes(targets[to])) break;
        }
      }
    }
  }
  const offsets = Uint32Array.from({ length: pages + 1 }, (_, page) => LINKS * page);
  const firstOfHost = Uint32Array.from({ length: hosts + 1 }, (_, host) => first(host));
  return { pages, offsets, targets, firstOfHost };
}
