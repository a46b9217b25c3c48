import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { readCashBlock } from "../cash/cash-block.ts";
import type { CreditOrigin } from "../cash/cash-book.ts";
import { CreditList } from "../cash/credit-list.ts";
import { CASH_COUNTERS, ORIGINS, type ShardCash } from "../cash/shard-cash.ts";
import type { Discovery, KnownFingerprints } from "../discovery.ts";
import type { Finish } from "../finish.ts";
import type { Lease } from "../host.ts";
import { CREDIT_BYTES } from "../journal/event-batch.ts";
import { readWide, word } from "../link/words.ts";
import { QUEUE_RANGES } from "../queue/range-queue.ts";
import { OwnedShard, type OwnedShardParts } from "../shard/owned-shard.ts";
import type { ShardNumbers } from "../shard-numbers.ts";
import { bonusFor, mintFor, shareOf } from "./cash-shares.ts";
import type { OpicOrder } from "./opic-order.ts";
import type { ThreadOrder } from "./thread-order.ts";

/** No URL has its path's slash earlier. */
const FIRST_SLASH = "http://".length + 1;

/** What a shard needs of the thread that owns it. */
type OwningThread = Pick<ThreadOrder, "onLate" | "priority" | "paidBack" | "exchange">;

/** A shard at work that orders by cash: what a page has goes to its links when it is done. */
export class OpicOwnedShard extends OwnedShard {
  readonly #cash: ShardCash;
  readonly #order: OpicOrder;
  readonly #thread: OwningThread;
  /** Credits of the visit or block at hand. */
  readonly #credits = new CreditList();
  /** Those of them that came too late. */
  #late = 0;

  constructor(parts: OwnedShardParts, order: OpicOrder, thread: OwningThread) {
    super(parts);
    this.#cash = parts.shard.state.cash!;
    this.#order = order;
    this.#thread = thread;
  }

  /** Takes in seeds; returns how many are new. */
  override admitAll(found: readonly Discovery[]): number {
    let fresh = 0;
    this.shard.fingerprintAll(found, (one, low, high) => {
      if (this.#give(one, hostnameOf(one.url), low, high, 0, "own")) fresh++;
    });
    this.#journalCredits("own");
    return fresh;
  }

  /** What the page had is dealt out at once: the links of the next page of this batch may be paid from it. */
  override finish(
    lease: Lease,
    found: readonly Discovery[],
    how: Finish,
    numbers: ShardNumbers,
  ): number {
    const { book, pages } = this.#cash;
    const links = Math.max(how.links, found.length + (how.known?.length ?? 0));
    const page = pages.find(lease.low, lease.high);
    const share = shareOf(book, page, links, this.#thread.paidBack);
    this.journal.done(lease, how);
    let fresh = 0;
    this.shard.fingerprintAll(found, (discovery, low, high) => {
      const { hostname, shard: target } = numbers.of(discovery.url);
      if (target !== this.shard.number) this.#promise(target, low, high, share, discovery);
      else if (this.#give(discovery, hostname, low, high, share, "own")) fresh++;
    });
    if (how.known !== undefined) this.#creditKnown(how.known, share);
    this.#journalCredits("own");
    return fresh;
  }

  /** Links of the page that are known get their shares. */
  #creditKnown({ own, others }: KnownFingerprints, share: number): void {
    for (let i = 0; i < own.length; i++) this.#credit(own[i]!, share, "own");
    for (let i = 0; i < others.length; i += 3)
      this.#promise(others[i]!, others[i + 1]! >>> 0, others[i + 2]! >>> 0, share);
  }

  /** A page of another shard will get cash. Gone when it is promised, not when its block is closed: nothing is promised twice. */
  #promise(target: number, low: number, high: number, share: number, found?: Discovery): void {
    this.#cash.book.send(share);
    const owed = this.outbox.post(target, low, high, share, found);
    const before = owed === share ? -1 : QUEUE_RANGES.of(owed - share);
    this.#thread.exchange.owes(QUEUE_RANGES.of(owed), before);
  }

  protected override takeIn(block: Buffer): number {
    const { found, amounts, known, total } = readCashBlock(block);
    this.#cash.book.receive(total);
    this.journal.count(CASH_COUNTERS.received, total);
    let fresh = 0;
    this.shard.fingerprintAll(found, (one, low, high, i) => {
      if (this.#give(one, hostnameOf(one.url), low, high, amounts[i]!, "foreign")) fresh++;
    });
    for (let at = 0; at < known.length; at += CREDIT_BYTES) {
      const page = this.#cash.pages.find(word(known, at), word(known, at + 4));
      if (page >= 0) this.#credit(page, readWide(known, at + 8), "foreign");
    }
    this.#journalCredits("foreign");
    return fresh;
  }

  /** A link of this shard gets cash; true when it was not known. */
  #give(
    found: Discovery,
    hostname: string,
    low: number,
    high: number,
    amount: number,
    origin: CreditOrigin,
  ): boolean {
    const page = this.#cash.pages.find(low, high);
    if (page >= 0) {
      this.#credit(page, amount, origin);
      return false;
    }
    const cash = amount + this.#mint(found, hostname) + this.#bonus(found);
    this.shard.admit(found, hostname, low, high, cash);
    this.journal.batch.admit(found, low, high);
    if (cash > 0) this.#credits.add(low, high, cash);
    if (origin === "foreign") this.#thread.exchange.learned(QUEUE_RANGES.of(cash));
    return true;
  }

  #credit(page: number, amount: number, origin: CreditOrigin): void {
    if (amount === 0) return;
    if (origin === "foreign" && this.#order.isWaiting(page)) {
      const cash = this.#cash.book.cash(page);
      this.#thread.exchange.learned(QUEUE_RANGES.of(cash + amount), QUEUE_RANGES.of(cash));
    }
    if (!this.#order.credit(page, amount, origin)) this.#late++;
    const { pages } = this.#cash;
    this.#credits.add(pages.low(page), pages.high(page), amount);
  }

  /** A unit for a seed, and for the first home page of a site. */
  #mint(found: Discovery, hostname: string): number {
    const isSeed = found.via === "seed";
    if (!isSeed && found.url.indexOf("/", FIRST_SLASH) !== found.url.length - 1) return 0;
    const { seedLow, seedHigh } = this.shard.state;
    fingerprint(siteOf(hostname), seedLow, seedHigh);
    const { low, high } = lastFingerprint;
    if (!this.#cash.homes.addFingerprint(low, high) && !isSeed) return 0;
    const amount = mintFor(this.#cash.book);
    this.#cash.book.mint(amount);
    this.shard.state.count(CASH_COUNTERS.minted, amount);
    this.journal.minted(low, high, amount);
    return amount;
  }

  /** What the page is worth by itself, if somebody says so. */
  #bonus({ url, depth }: Discovery): number {
    const { priority } = this.#thread;
    if (priority === undefined) return 0;
    const { book } = this.#cash;
    const amount = bonusFor(book, priority(url, depth));
    book.mint(amount);
    this.journal.count(CASH_COUNTERS.minted, amount);
    return amount;
  }

  #journalCredits(origin: CreditOrigin): void {
    if (this.#credits.length === 0) return;
    if (this.#late > 0) {
      const { lateOwn, lateForeign } = CASH_COUNTERS;
      this.journal.count(origin === "own" ? lateOwn : lateForeign, this.#late);
      this.#thread.onLate(origin, this.#late);
      this.#late = 0;
    }
    this.journal.credited(ORIGINS.indexOf(origin), this.#credits.bytes);
    this.#credits.clear();
  }
}
