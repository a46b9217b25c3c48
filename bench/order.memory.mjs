// What a known URL costs with --order opic: fingerprint, number, cash, state and place of its record; and its queue entry.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CashBook, UNIT } from "../build/src/frontier/opic/cash-book.js";
import { OpicOrder } from "../build/src/frontier/opic/opic-order.js";
import { PageTable } from "../build/src/frontier/opic/page-table.js";
import { RecordPlaces } from "../build/src/frontier/opic/record-places.js";
import { openScratchFile } from "../build/src/frontier/scratch-file.js";
import { RangeQueue } from "../build/src/queue/range-queue.js";
import { generator } from "./queue.streams.mjs";

const SHARDS = 16;
const PAGES = Number(process.env.ORDER_PAGES ?? 1e7);

export function memory() {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-order-"));
  const random = generator(5);
  const word = () => Math.floor(random() * 2 ** 32);
  const before = process.memoryUsage().rss;
  const start = process.cpuUsage();
  const shards = Array.from({ length: SHARDS }, (_, i) => {
    const book = new CashBook();
    const queue = new RangeQueue(() => openScratchFile(join(folder, `${i}.scratch`)));
    const order = new OpicOrder(book, queue);
    return { table: new PageTable(), book, order, places: new RecordPlaces() };
  });
  const drawn = [];
  for (let i = 0; i < PAGES; i++) {
    const { table, book, order, places } = shards[i % SHARDS];
    const number = table.add(word(), word());
    if (i < SHARDS * 1000) book.mint(UNIT);
    places.set(number, 100 * i);
    order.admit(number, Math.min(Math.floor(random() ** -1.3), book.virtual));
    // Raises go into the queue in batches, as a crawl that takes pages from time to time has them.
    if (i % 50_000 < SHARDS) order.topRange();
  }
  const { user, system } = process.cpuUsage(start);
  const bytes = process.memoryUsage().rss - before;
  // What a link to a known page costs: find the page by its fingerprint, credit it, insert it again if it rises.
  const credits = 2e6;
  const creditStart = process.cpuUsage();
  for (let i = 0; i < credits; i++) {
    const { table, order } = shards[i % SHARDS];
    const page = Math.floor(random() ** 3 * table.size); // some pages are linked far more often than others
    order.credit(table.find(table.low(page), table.high(page)), 1, "own");
    if (i % 50_000 < SHARDS) order.topRange();
  }
  const credited = process.cpuUsage(creditStart);
  for (const { order } of shards) order.draw(10, drawn);
  rmSync(folder, { recursive: true });
  const rows = [
    {
      "known URLs, all waiting": PAGES,
      "resident bytes per URL": Number((bytes / PAGES).toFixed(1)),
      "GB at 1e8": Number((bytes / PAGES / 10).toFixed(2)),
      "CPU ns per admission": Math.round(((user + system) * 1000) / PAGES),
      "CPU ns per credit": Math.round(((credited.user + credited.system) * 1000) / credits),
    },
  ];
  return {
    title: `memory of ${SHARDS} shards (pages, cash, states, places and queue; replaces the seen-set)`,
    table: rows,
    data: {},
  };
}
