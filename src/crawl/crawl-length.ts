/** What a run has received so far, and what it knows of. */
export interface SoFar {
  /** Pages that were fetched. */
  readonly pages: number;
  readonly bytes: number;
  readonly queued: number;
  /** How many more pages it may fetch. */
  readonly mayFetch: number;
}

/** A builder thread saves more than starting it costs in a crawl that is going to receive so much. */
const LONG_BYTES = 4 * 1024 * 1024;
/** A crawl that has become so long gets one, whatever is ahead. */
const VERY_LONG_BYTES = 128 * 1024 * 1024;
/** What V8 has optimised of building in the crawler's thread is lost: the later, the more must be ahead. */
const MORE_AHEAD = 4;
/** A page counts as some bytes more. */
const BYTES_OF_PAGE = 8 * 1024;
/** So many pages tell how large they are. */
const TELLING_PAGES = 16;

/**
 * Whether a crawl whose builder shares the only crawler thread is better off with a builder thread (decision 125). Not by the
 * CPU time that it has used, which depends on what else the machine does.
 */
export function isLongCrawl({ pages, bytes, queued, mayFetch }: SoFar): boolean {
  if (pages < TELLING_PAGES) return false;
  const page = bytes / pages + BYTES_OF_PAGE;
  const expected = page * (pages + Math.min(queued, mayFetch));
  return expected >= Math.min(LONG_BYTES + MORE_AHEAD * page * pages, VERY_LONG_BYTES);
}
