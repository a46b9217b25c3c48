import { parentPort, workerData } from "node:worker_threads";
import { DiskTree, sourceLine } from "../../store/tree/tree-files.ts";
import { treePlace } from "../../store/tree/tree-path.ts";
import { type TreeFiles, UrlTree } from "../../store/tree/url-tree.ts";
import { DOORBELL_WORDS, Doorbell } from "../../sync/doorbell.ts";
import { FIRST, framesOf, HandOffBuffer, LAST, totalOf } from "../../sync/hand-off-buffer.ts";
import { LockTable } from "../../sync/lock-table.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { PlainFiles } from "./plain-files.ts";
import {
  AT_LOCK,
  meet,
  type RaceMethod,
  RUNNING,
  STATE,
  THROUGH,
  Turnstile,
  WORKING,
} from "./race-memory.ts";

/** What a thread of the replay is told. */
export interface RaceOrders {
  readonly role: "crawler" | "builder";
  /** Number of the crawler or builder. */
  readonly number: number;
  readonly by: RaceMethod;
  readonly locked: boolean;
  readonly sleepMs: number;
  readonly disk: "plain" | "whole";
  readonly root: string;
  readonly url: string;
  readonly source: string;
  readonly content: string;
  /** Which of the two meeting points. */
  readonly meeting: number;
  readonly words: Int32Array;
  readonly locks: Int32Array;
  readonly buffers: readonly SharedArrayBuffer[];
  readonly bells: Int32Array;
}

const orders = workerData as RaceOrders;
const { words, number: me } = orders;
const bells = Array.from(
  { length: orders.bells.length / DOORBELL_WORDS },
  (_, i) => new Doorbell(orders.bells, i * DOORBELL_WORDS),
);
/** Two crawlers each, size 1: crawlers 0 to 3 have bells 0 to 3, builders 4 and 5. */
const buffers = orders.buffers.map((memory, b) => new HandOffBuffer(memory, 1, 2, bells[4 + b]!));

if (orders.role === "crawler") crawl();
else build();

/** Hands over the page that the crawler is supposed to have fetched: all four found the same one. */
function crawl(): void {
  const { url, source, content } = orders;
  const record = [Buffer.from(JSON.stringify({ url, source, content }))];
  const buffer = buffers[me >> 1]!;
  for (;;) {
    const armed = bells[me]!.arm();
    if (buffer.tryPut(me & 1, record, FIRST | LAST)) break;
    bells[me]!.sleep(armed, Number.POSITIVE_INFINITY);
  }
  Atomics.sub(words, WORKING, 1);
  for (const bell of bells.slice(4)) bell.ring();
}

function build(): void {
  const bell = bells[4 + me]!;
  const buffer = buffers[me]!;
  const tree = plantedTree();
  const crawled: string[] = [];
  for (;;) {
    const armed = bell.arm();
    const over = Atomics.load(words, WORKING) === 0;
    buffer.takeCall();
    const batch = buffer.take();
    if (batch === 0) {
      if (over) break;
      bell.sleep(armed, Number.POSITIVE_INFINITY);
      continue;
    }
    for (const lane of [0, 1]) {
      for (let left = framesOf(batch, lane); left > 0; left--) {
        buffer.next(lane);
        const { url, source, content } = JSON.parse(
          Buffer.from(buffer.read(lane)).toString("utf8"),
        );
        const page = { url, source, content: Buffer.from(content), mime: "text/html" };
        if (tree.add(treePlace(url as CrawlUrl), page) !== "")
          crawled.push(sourceLine(url, source));
        Atomics.store(words, STATE + me, THROUGH);
      }
    }
    buffer.giveBack(totalOf(batch));
    for (const crawler of bells.slice(2 * me, 2 * me + 2)) crawler.ring();
  }
  bell.disarm();
  parentPort!.postMessage(crawled);
}

function plantedTree(): UrlTree {
  const files = orders.disk === "whole" ? new DiskTree(orders.root) : new PlainFiles(orders.root);
  return new UrlTree(orders.locked ? notedLocks() : noLocks(), heldBack(files));
}

/** The tree's locks, which note when a builder has to wait for one. */
function notedLocks(): LockTable {
  const locks = new LockTable(orders.locks, 0, orders.locks.length / LockTable.words(1), me + 1);
  const noted =
    (attempt: (hash: number) => boolean, wait: (hash: number) => void) => (hash: number) => {
      if (attempt(hash)) return;
      Atomics.store(words, STATE + me, AT_LOCK);
      wait(hash);
      Atomics.store(words, STATE + me, RUNNING);
    };
  return {
    read: noted(
      (hash) => locks.tryRead(hash),
      (hash) => locks.read(hash),
    ),
    write: noted(
      (hash) => locks.tryWrite(hash),
      (hash) => locks.write(hash),
    ),
    release: (hash: number) => locks.release(hash),
  } as unknown as LockTable;
}

/** No locks at all, as in the seed's replay. */
function noLocks(): LockTable {
  const nothing = () => {};
  return { read: nothing, write: nothing, release: nothing } as unknown as LockTable;
}

/** The disk, with what brings both builders to the write before either has written. */
function heldBack(files: TreeFiles): TreeFiles {
  const { by, sleepMs } = orders;
  const gate = new Turnstile(words, me);
  const idle = new Int32Array(new SharedArrayBuffer(4));
  const isFirst = () => Atomics.load(words, STATE + me) !== THROUGH;
  const inTurn = <T>(step: () => T): T => {
    if (by !== "turnstile" || !isFirst()) return step();
    gate.await();
    try {
      return step();
    } finally {
      gate.pass();
    }
  };
  return {
    tenant: (path, url) => inTurn(() => files.tenant(path, url)),
    write(path, page) {
      if (by === "sleep") Atomics.wait(idle, 0, 0, sleepMs);
      if (by === "rendezvous") meet(words, me, orders.meeting);
      inTurn(() => files.write(path, page));
    },
  };
}
