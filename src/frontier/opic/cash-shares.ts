import { type CashBook, MAX_MINTED, UNIT } from "../cash/cash-book.ts";

/**
 * What each of `links` distinct links of a page gets when the page is done, counting those that are refused, dropped or
 * out of scope: their part, and what division leaves, stays with the virtual page. A redirect is a page with one link.
 *
 * The virtual page links to every waiting page and pays each its part when that page is done: paying all of them at
 * once would cost a pass over the queue, and equal payments do not change its order. `part` is that of a page of the
 * whole crawl, so that a page's worth does not depend on its shard; a shard pays no more than its virtual page has.
 */
export function shareOf(
  book: CashBook,
  page: number,
  links: number,
  part: number = book.virtual / Math.max(1, book.waiting),
): number {
  if (links === 0) return 0;
  const paidBack = Math.floor(Math.max(0, Math.min(part, book.virtual)));
  return Math.floor((book.cash(page) + paidBack) / links);
}

/** What is minted for a seed, or for the first home page of a site; 0 when the shard may mint no more. */
export function mintFor(book: CashBook): number {
  return book.minted + UNIT <= MAX_MINTED ? UNIT : 0;
}

const MAX_UNITS = 16;

/** What is minted for a page that is worth so many units by itself; 0 when the shard may mint no more. */
export function bonusFor(book: CashBook, units: number): number {
  const amount = Math.floor(UNIT * Math.min(MAX_UNITS, units));
  return book.minted + amount <= MAX_MINTED ? amount : 0;
}
