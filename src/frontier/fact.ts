/*
 * What a visit finds out and later visits are judged by. A fact is committed with its page, as an extension event of the
 * page's shard (kind 16, then these bytes), and every thread learns it: before it begins, or when it is durable.
 *
 *   1 widened   a seed redirects there, so it belongs to the scope: the URL as text
 *   2 trap      a verdict about URLs that belong to a trap: opaque here
 */

/** The kinds of facts; a number never changes its meaning. */
export const FACT = { widened: 1, trap: 2 } as const;

/** Something that decides what is admitted from now on, in this run and in later ones. */
export interface Fact {
  /** One of `FACT`; of other kinds the bytes are kept and nothing follows. */
  readonly kind: number;
  /** Little more than a URL at most: it travels with a lent lease in one message. */
  readonly bytes: Uint8Array;
}
