// What a known URL costs with --order opic: fingerprint, number, cash, state and place of its record; and its queue entry.
// A process of its own for each size: what one size has freed must not count for the next.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CashBook, UNIT } from "../../build/src/frontier/cash/cash-book.js";
import { PageTable } from "../../build/src/frontier/cash/page-table.js";
import { OpicOrder } from "../../build/src/frontier/opic/opic-order.js";
import { QUEUE_FRAMES } from "../../build/src/frontier/opic/opic-queue.js";
import { RecordPlaces } from "../../build/src/frontier/opic/record-places.js";
import { RangeQueue } from "../../build/src/frontier/queue/range-queue.js";
import { openScratchFile } from "../../build/src/runtime/scratch-file.js";
import { collectGarbage } from "../support/collect-garbage.mjs";
import { generator } from "../support/random.mjs";

const SHARDS = 16;
const SELF = fileURLToPath(import.meta.url);

function measure(PAGES) {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-order-"));
  const random = generator(5);
  const word = () => Math.floor(random() * 2 ** 32);
  const before = process.memoryUsage().rss;
  const start = process.cpuUsage();
  const shards = Array.from({ length: SHARDS }, (_, i) => {
    const book = new CashBook();
    const queue = new RangeQueue(() => openScratchFile(join(folder, `${i}.scratch`)), QUEUE_FRAMES);
    const order = new OpicOrder(book, queue);
    return { table: new PageTable(), book, order, places: new RecordPlaces() };
  });
  const drawn = [];
  for (let i = 0; i < PAGES; i++) {
    const { table, book, order, places } = shards[i % SHARDS];
    const number = table.add(word(), word());
    if (i < SHARDS * 1000) book.mint(UNIT);
    places.set(number, 100 * i, i % 1000);
    order.admit(number, Math.min(Math.floor(random() ** -1.3), book.virtual));
    // Raises go into the queue in batches, as a crawl that takes pages from time to time has them.
    if (i % 50_000 < SHARDS) order.topRange();
  }
  const { user, system } = process.cpuUsage(start);
  collectGarbage(); // tables that have grown leave their old arrays behind
  const bytes = process.memoryUsage().rss - before;
  // What a link to a known page costs: find the page by its fingerprint, credit it, insert it again if it rises.
  const credits = Math.min(2e6, 2 * PAGES);
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
  return {
    "known URLs, all waiting": PAGES,
    "resident bytes per URL": Number((bytes / PAGES).toFixed(1)),
    "CPU ns per admission": Math.round(((user + system) * 1000) / PAGES),
    "CPU ns per credit": Math.round(((credited.user + credited.system) * 1000) / credits),
  };
}

/** Bytes per URL by construction: the table of pages at its emptiest and fullest, and the columns. */
function computed() {
  const columns = { fingerprint: 8, cash: 8, state: 1, place: 6, host: 4 };
  const sum = Object.values(columns).reduce((total, bytes) => total + bytes, 0);
  return {
    columns,
    slot: "5 at a load from 0.57 to 0.85",
    bytes: [sum + 5 / 0.85, sum + 5 / 0.57],
  };
}

export function memory(_world, { memorySizes }) {
  const table = memorySizes.map((pages) =>
    JSON.parse(execFileSync(process.execPath, [SELF, String(pages)], { encoding: "utf8" })),
  );
  return {
    title: `memory of ${SHARDS} shards (pages, cash, states, places, hosts and queue; replaces the seen-set)`,
    table,
    data: { computed: computed() },
  };
}

if (process.argv[1] === SELF) console.log(JSON.stringify(measure(Number(process.argv[2]))));
