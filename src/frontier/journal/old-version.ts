import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Discovery } from "../discovery.ts";
import { LinkBlock } from "../link/link-block.ts";
import { LINK_BYTES, linkEnd } from "../link/link-codec.ts";
import { short, word, writeWord } from "../link/words.ts";
import { VIAS } from "../via.ts";
import { EVENT, EVENT_HEADER_BYTES, EventBatch } from "./event-batch.ts";
import { decodeOutbox, EventCursor } from "./event-cursor.ts";
import type { JournalBatch } from "./segment-batches.ts";

/*
 * Version 2 of the journal, and "OWSNAP03" of snapshots, differ in the blocks for other shards that are not confirmed:
 *
 *   block        group*      group = parent length 16 | parent | depth 32 | how found 8 | chain length 8
 *                                    | chain (16 hex digits each) | links 16 | (length 16 | URL)*
 *   cash block   bytes of the groups 32 | group* | credits, unchanged
 *
 * The reader rewrites them, so that nothing else knows the old layout. The new one is never longer.
 */

const SEED_FLAG = 0x80;
const DIGITS = 16;

/** The batch as this version writes it: the same memory, unless a block had to be changed. */
export function upgradeBatch(batch: JournalBatch): JournalBatch {
  const cursor = new EventCursor();
  const events = new EventBatch();
  let blocks = 0;
  cursor.open(batch);
  while (cursor.next()) {
    if (cursor.kind === EVENT.outbox) {
      const block = decodeOutbox(cursor);
      events.outbox({ ...block, bytes: upgradeBlock(block.bytes) });
      blocks++;
    } else events.copy(batch.bytes, cursor.from - EVENT_HEADER_BYTES, cursor.to);
  }
  if (blocks === 0) return batch;
  const bytes = events.body();
  return { ...batch, bytes, from: 0, to: bytes.length, eventsAt: undefined };
}

/** A block as this version writes it. What does not begin with links carries cash. */
export function upgradeBlock(block: Uint8Array): Uint8Array {
  const bytes = Buffer.from(block);
  const found = readOldLinks(bytes, 0, bytes.length);
  if (found !== undefined) return pack(found, bytes.length);
  const linksEnd = 4 + word(bytes, 0);
  const links = pack(readOldLinks(bytes, 4, linksEnd) ?? [], bytes.length);
  const head = Buffer.alloc(4);
  writeWord(head, 0, links.length);
  return Buffer.concat([head, links, bytes.subarray(linksEnd)]);
}

function pack(found: readonly Discovery[], maxBytes: number): Uint8Array {
  const block = new LinkBlock(maxBytes);
  for (const one of found) block.tryAdd(one);
  return block.bytes.subarray(0, block.used);
}

/** The links of old groups; undefined when these bytes are something else. */
function readOldLinks(bytes: Buffer, from: number, to: number): Discovery[] | undefined {
  const found: Discovery[] = [];
  let at = from;
  while (at < to) {
    const depthAt = linkEnd(bytes, at);
    const parent = bytes.toString("latin1", at + LINK_BYTES, depthAt) as CrawlUrl;
    const how = bytes[depthAt + 4]!;
    const chainAt = depthAt + 6;
    const chain = Array.from({ length: bytes[depthAt + 5]! }, (_, i) =>
      bytes.toString("latin1", chainAt + DIGITS * i, chainAt + DIGITS * (i + 1)),
    );
    at = chainAt + DIGITS * chain.length;
    let left = short(bytes, at);
    // No group is empty.
    if (left === 0) return undefined;
    for (at += 2; left > 0; left--) {
      const end = linkEnd(bytes, at);
      const url = bytes.toString("latin1", at + LINK_BYTES, end) as CrawlUrl;
      if (!url.startsWith("http")) return undefined;
      found.push({
        url,
        parent: parent === "" ? undefined : parent,
        depth: word(bytes, depthAt),
        via: VIAS[how & ~SEED_FLAG]!,
        seed: how >= SEED_FLAG,
        chain,
      });
      at = end;
    }
  }
  return at === to ? found : undefined;
}
