import { CashBook, UNIT } from "../../../src/frontier/cash/cash-book.ts";
import { mintFor, shareOf } from "../../../src/frontier/opic/cash-shares.ts";
import type { Random } from "../../../src/lab/queues/pivot-random.ts";
import { CreditBatch } from "../../../src/lab/simulation/credit-batch.ts";

type Credits = readonly (readonly [url: number, amount: number])[];

/** What a shard's journal says of cash. */
export type CashEvent =
  | { kind: "mint"; amount: number }
  | { kind: "admit"; url: number; amount: number }
  | { kind: "credit"; url: number; amount: number; origin: "own" | "foreign" }
  | { kind: "done"; url: number }
  | { kind: "outbox"; target: number; number: number; credits: Credits; amount: number }
  | { kind: "received"; producer: number; number: number; amount: number };

/** Faults of the protocol that must show. */
export type Mutant = "sends before it syncs" | "takes a block twice";

/** The cash of one shard: a book, the numbers of its pages, and what it has sent and received. */
export class ShardCash {
  readonly book = new CashBook();
  readonly pages = new Map<number, number>();
  readonly outbox: Extract<CashEvent, { kind: "outbox" }>[] = [];
  readonly reached = new Map<number, number>();

  /** The only way anything changes: for the crawl as for the fold. */
  apply(batch: readonly CashEvent[]): void {
    for (const event of batch) this.#event(event);
    this.book.settle();
  }

  #event(event: CashEvent): void {
    const { book, pages } = this;
    if (event.kind === "mint") book.mint(event.amount);
    else if (event.kind === "done") book.spend(pages.get(event.url)!);
    else if (event.kind === "credit")
      book.credit(pages.get(event.url)!, event.amount, event.origin);
    else if (event.kind === "admit") {
      pages.set(event.url, pages.size);
      book.admit(pages.size - 1, event.amount);
    } else if (event.kind === "outbox") {
      this.outbox.push(event);
      book.send(event.amount);
    } else {
      this.reached.set(event.producer, event.number);
      book.receive(event.amount);
    }
  }

  /** Everything that must come back after a crash. */
  summary(): unknown {
    const { minted, received, sent, held, virtual, waiting, late } = this.book;
    const pages = [...this.pages].map(([url, page]) => [
      url,
      this.book.cash(page),
      this.book.history(page),
    ]);
    return { minted, received, sent, held, virtual, waiting, late: { ...late }, pages };
  }
}

/** Shards that crawl a random web, exchange blocks and crash: URL u belongs to shard u % shards. */
export class CashMachine {
  readonly journals: CashEvent[][][];
  shards: ShardCash[];
  /** What each shard looked like when its journal was last synced. */
  readonly synced: unknown[];
  /** Batches formed and not yet synced. */
  readonly #unsynced: CashEvent[][][];
  readonly #random: Random;
  readonly #mutant: Mutant | undefined;
  readonly #urls: number;

  constructor(shards: number, urls: number, random: Random, mutant?: Mutant) {
    this.#random = random;
    this.#urls = urls;
    this.#mutant = mutant;
    this.journals = Array.from({ length: shards }, () => []);
    this.#unsynced = Array.from({ length: shards }, () => []);
    this.shards = Array.from({ length: shards }, () => new ShardCash());
    this.synced = this.shards.map((shard) => shard.summary());
    for (let shard = 0; shard < shards; shard++) {
      this.#form(shard, [
        { kind: "mint", amount: UNIT },
        { kind: "admit", url: shard, amount: UNIT },
      ]);
      this.sync(shard);
    }
  }

  /** Finishes up to three waiting pages of a shard in one batch: pages, failures, redirects. */
  crawl(number: number): void {
    const shard = this.shards[number]!;
    const batch: CashEvent[] = [];
    const own = new CreditBatch<number>();
    const foreign = this.shards.map(() => new CreditBatch<number>());
    const waiting = [...shard.pages].filter(([, page]) => !shard.book.isDone(page));
    for (let i = this.#random.below(3); i >= 0 && waiting.length > 0; i--) {
      const [[url, page]] = waiting.splice(this.#random.below(waiting.length), 1) as [
        [number, number],
      ];
      // Duplicates on a page count once; some links are refused and keep nobody from getting his part.
      const links = new Set(Array.from({ length: this.#random.below(6) }, () => this.#anyUrl()));
      const share = shareOf(shard.book, page, links.size);
      batch.push({ kind: "done", url });
      for (const link of links) {
        if (this.#random.below(5) === 0) continue;
        const owner = link % this.shards.length;
        if (owner === number) own.add(link, share);
        else foreign[owner]!.add(link, share);
      }
    }
    this.#credit(number, batch, own.take(), "own");
    foreign.forEach((credits, target) => {
      const amount = credits.total;
      if (amount === 0) return;
      const last = shard.outbox.findLast((block) => block.target === target)?.number ?? 0;
      batch.push({ kind: "outbox", target, number: last + 1, credits: credits.take(), amount });
    });
    this.#form(number, batch);
    if (this.#mutant === "sends before it syncs") this.exchange(number);
  }

  /** Makes what a shard has formed durable. */
  sync(number: number): void {
    this.journals[number]!.push(...this.#unsynced[number]!.splice(0));
    this.synced[number] = this.shards[number]!.summary();
  }

  /** Sends all blocks of a shard that its journal holds, again and again: nothing is ever confirmed here. */
  exchange(producer: number): void {
    const journal = this.journals[producer]!.flat();
    const blocks =
      this.#mutant === "sends before it syncs" ? this.shards[producer]!.outbox : journal;
    for (const block of blocks) if (block.kind === "outbox") this.#receive(producer, block);
  }

  /** The shard's memory is gone; its state is folded from its journal. */
  crash(number: number): void {
    this.#unsynced[number]!.length = 0;
    const fresh = new ShardCash();
    for (const batch of this.journals[number]!) fresh.apply(batch);
    this.shards[number] = fresh;
  }

  /** Cash minted, and cash that is somewhere: with pages, with virtual pages, in blocks under way. */
  totals(): { minted: number; found: number } {
    let minted = 0;
    let found = 0;
    for (const { book, outbox } of this.shards) {
      minted += book.minted;
      found += book.held + book.virtual;
      const producer = this.shards.findIndex((shard) => shard.book === book);
      for (const { target, number, amount } of outbox) {
        if (number > (this.shards[target]!.reached.get(producer) ?? 0)) found += amount;
      }
    }
    return { minted, found };
  }

  #receive(producer: number, block: Extract<CashEvent, { kind: "outbox" }>): void {
    const target = this.shards[block.target]!;
    const reached = target.reached.get(producer) ?? 0;
    const isNext = block.number === reached + 1;
    if (!isNext && !(this.#mutant === "takes a block twice" && block.number === reached)) return;
    const { number, amount } = block;
    const batch: CashEvent[] = [{ kind: "received", producer, number, amount }];
    this.#credit(block.target, batch, block.credits, "foreign");
    this.#form(block.target, batch);
    // The producer may forget the block only when its target has synced it; here it never does.
    this.sync(block.target);
  }

  #credit(number: number, batch: CashEvent[], credits: Credits, origin: "own" | "foreign"): void {
    const { pages, book } = this.shards[number]!;
    for (const [url, amount] of credits) {
      const page = pages.get(url);
      if (page === undefined) {
        // Every seventh page stands for a home page.
        const minted = url % 7 === 0 ? mintFor(book) : 0;
        if (minted > 0) batch.push({ kind: "mint", amount: minted });
        batch.push({ kind: "admit", url, amount: amount + minted });
      } else {
        batch.push({ kind: "credit", url, amount, origin });
      }
    }
  }

  #form(number: number, batch: CashEvent[]): void {
    this.shards[number]!.apply(batch);
    this.#unsynced[number]!.push(batch);
  }

  #anyUrl(): number {
    return Math.floor(this.#random.below(this.#urls) ** 2 / this.#urls);
  }
}
