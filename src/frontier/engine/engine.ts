/*
 * What the scripts of the engine are asked and answer. Calls never wait: an answer comes by callback, in the order of
 * the calls for one partition. `RedisEngine` asks a server; the model of the scripts in verify/ answers at once.
 */

/** In which order a host's URLs are handed out. */
export type EngineOrder = "bfs" | "dfs" | "opic";

/** A URL on its way into a partition. */
export interface EngineLink {
  /** Fingerprint, as 8 bytes (its name everywhere) and as the decimal of a signed 64-bit number (in sets). */
  readonly id: Buffer;
  readonly decimal: string;
  /** Added to its cash if it waits, or what it begins with. */
  readonly credit: number;
  /** Added if it is new. */
  readonly bonus: number;
  /** Fingerprint and link: begins with `id`. */
  readonly record: Buffer;
}

/** The links of a block that belong to one host. */
export interface HostLinks {
  readonly host: string;
  /** Only where sites have a budget, else "". */
  readonly site: string;
  readonly links: readonly EngineLink[];
}

/** A numbered block of links for one partition. */
export interface InsertBlock {
  readonly kind: "insert";
  readonly partition: number;
  readonly number: number;
  readonly hosts: readonly HostLinks[];
  /** Of a crawl in supersteps: it waits until a later step takes it in. Absent: it is taken in at once. */
  readonly step?: number;
}

/** How one URL ended: one of `OUTCOME`, or 0 for one that is given up. */
export interface SettledUrl {
  readonly id: Buffer;
  readonly decimal: string;
  readonly outcome: number;
  /** Of a page, where sites have a budget, else "". */
  readonly site: string;
}

/** A numbered block of ends for one partition. */
export interface SettleBlock {
  readonly kind: "settle";
  readonly partition: number;
  readonly number: number;
  readonly token: string;
  readonly urls: readonly SettledUrl[];
  /** What is known about hosts, for their next holder. */
  readonly notes: readonly (readonly [host: string, note: string])[];
}

/** The answer to a block. */
export type BlockAnswer =
  /** `fresh` URLs were new, `late` credits were for pages that wait no longer; `woke` when the partition had no host to hand out before. */
  | {
      readonly kind: "inserted";
      readonly fresh: number;
      readonly woke: boolean;
      readonly late: number;
    }
  | { readonly kind: "settled"; readonly accepted: number }
  /** The lease is another's: nothing was accepted, the number counts as reached. */
  | { readonly kind: "late"; readonly urls: number }
  /** This number was reached before: nothing changed. */
  | { readonly kind: "known"; readonly reached: number }
  /** A block before this one is missing: resend from `reached` + 1. */
  | { readonly kind: "gap"; readonly reached: number }
  /** The partition is being moved: ask again later. */
  | { readonly kind: "frozen" };

/** The answer to a claim of a partition. */
export type ClaimAnswer =
  /** It is the caller's; `moved` when somebody else may have asked its hosts a moment ago. */
  | { readonly kind: "claimed"; readonly token: string; readonly moved: boolean }
  /** Nothing to do there. */
  | { readonly kind: "empty" }
  | { readonly kind: "held"; readonly holder: string; readonly leftMs: number }
  /** The engine came back with an older state: for so long only who held the partition may have it. */
  | { readonly kind: "quiet"; readonly leftMs: number }
  | { readonly kind: "frozen" };

/** A claim: `token` is that of the lease that the caller has or had, else "". */
export interface Claim {
  readonly partition: number;
  readonly token: string;
}

/** What is wanted of a partition; it renews the lease. */
export interface Extract {
  readonly partition: number;
  readonly token: string;
  /** Hosts that nobody works on, and URLs of each of them. */
  readonly hosts: number;
  readonly perHost: number;
  /** Hosts that the caller works on, and how many URLs more it wants. */
  readonly refills: readonly (readonly [host: string, urls: number])[];
  /** Also everything that the caller holds: an answer may have been lost. */
  readonly again: boolean;
}

/** URLs of one host. */
export interface ExtractedHost {
  readonly host: string;
  readonly note: string;
  /** Pages that its site has, where sites have a budget. */
  readonly sitePages: number;
  /** More of it waits in the engine. */
  readonly hasMore: boolean;
  readonly urls: readonly { readonly cash: number; readonly record: Buffer }[];
}

/** The answer to an extract. */
export type ExtractAnswer =
  | { readonly kind: "extracted"; readonly hosts: readonly ExtractedHost[]; readonly left: number }
  | { readonly kind: "lost" }
  | { readonly kind: "frozen" };

/** What a superstep does with a partition: takes in the blocks of earlier steps, then extracts the best URLs. */
export interface StepWanted {
  readonly partition: number;
  readonly token: string;
  readonly step: number;
  /** URLs, and at most so many of one host. */
  readonly urls: number;
  readonly perHost: number;
  /** Of at least so much cash. */
  readonly floor: number;
  /** Links of others that lift a page to this cash would have been taken, had they come at once. */
  readonly level: number;
  /** Hosts of which enough is with the caller. */
  readonly full: readonly string[];
}

/** What the blocks of earlier steps brought. */
export interface Received {
  readonly blocks: number;
  readonly links: number;
  readonly fresh: number;
  /** Updates of pages that had been extracted already, by blocks of the caller and of others. */
  readonly lateOwn: number;
  readonly lateForeign: number;
  /** Pages that others lifted above `level`. */
  readonly missed: number;
}

/** The answer to a step. */
export type StepAnswer =
  | {
      readonly kind: "stepped";
      readonly received: Received;
      readonly hosts: readonly ExtractedHost[];
      /** Hosts that have more, and the cash of the best page among them. */
      readonly left: number;
      readonly best: number;
    }
  | { readonly kind: "lost" }
  | { readonly kind: "frozen" };

/** A holder has done its part of a step: how much that was, and which partitions it sent blocks to. */
export interface Arrival {
  readonly step: number;
  readonly work: number;
  readonly mail: readonly number[];
}

/** The answer at the barrier. */
export interface BarrierAnswer {
  /** The step that may begin next; the one that was said while others are waited for. */
  readonly step: number;
  readonly waits: number;
  /** Of the last step: mean work of a holder / most work of one, and the partitions that were sent blocks. */
  readonly balance: number;
  readonly mail: readonly number[];
}

/** A look for links that will not be taken for long. */
export interface Chill {
  readonly partition: number;
  readonly token: string;
  /** Of every host so many links stay as they are; a block has at most and at least so many. */
  readonly keep: number;
  readonly most: number;
  readonly least: number;
  /** Where the last look at a host ended. */
  readonly known: ReadonlyMap<string, number>;
}

/** Links of one host, from a place in its queue on. */
export interface ColdLinks {
  readonly host: string;
  readonly from: number;
  readonly links: readonly Buffer[];
}

/** Links that become one block where they stand. */
export interface Pack extends ColdLinks {
  readonly partition: number;
  readonly token: string;
  readonly packed: Buffer;
}

/** The links of a block that was handed out. */
export interface Unpack {
  readonly partition: number;
  readonly token: string;
  readonly host: string;
  readonly id: Buffer;
  readonly links: readonly Buffer[];
}

/** A holder of leases that has given a sign of life. */
export interface MemberSign {
  readonly holder: string;
  /** Since its last one. */
  readonly ageMs: number;
  /** What it says about itself. */
  readonly about: string;
}

/** The answer to a heartbeat. */
export interface BeatAnswer {
  /** The engine's wall clock. */
  readonly nowMs: number;
  /** Changes when the engine restarts or another server takes over; "dead" when this holder was given up. */
  readonly run: string;
  readonly facts: number;
  /** All members, also those that have not been heard of for long. */
  readonly members: readonly MemberSign[];
}

/** A holder's account of permits, in totals that only grow, so that saying it twice or after a rollback does no harm. */
export interface PermitTotals {
  readonly granted: number;
  readonly returned: number;
  readonly spent: number;
}

/** The answer about permits. */
export interface PermitAnswer {
  /** The new total granted. */
  readonly granted: number;
  /** Free ones. */
  readonly left: number;
  /** Pages that the whole crawl has. */
  readonly pages: number;
}

/** What a partition has counted: whether everything that came in has been settled. */
export interface PartitionCounts {
  readonly inserted: number;
  readonly settled: number;
  readonly reached: number;
  /** Blocks that ever waited for a step, and those that wait now. */
  readonly posted: number;
  readonly unread: number;
  /** False while the engine may lack its last writes: somebody may have something to resend. */
  readonly isSure: boolean;
  /** The life of the server that has it. */
  readonly run: string;
}

/** Takes an address, or gives it back. */
export interface FloorCall {
  readonly kind: "take" | "give";
  readonly address: string;
  /** A thread of a worker. */
  readonly holder: string;
  /** How often it has taken the address: a call of before changes nothing. */
  readonly turn: number;
  /** One floor; when it is given back, how long nothing may start there. */
  readonly ms: number;
  /** The caller has it, as far as it knows. */
  readonly had: boolean;
  /** A holder that gives no sign of life any more: what it has is free. Empty for none. */
  readonly gone: string;
}

/** The answer about an address. */
export type FloorAnswer =
  | { readonly kind: "own"; readonly waitMs: number; readonly isWanted: boolean }
  /** By whom, where that is known. */
  | { readonly kind: "held"; readonly holder: string }
  | { readonly kind: "given" };

/** The scripts, as one holder of leases calls them. */
export interface Engine {
  readonly holder: string;
  readonly partitions: number;
  claim(claim: Claim, onAnswer: (answer: ClaimAnswer) => void): void;
  extract(wanted: Extract, onAnswer: (answer: ExtractAnswer) => void): void;
  send(block: InsertBlock | SettleBlock, onAnswer: (answer: BlockAnswer) => void): void;
  step(wanted: StepWanted, onAnswer: (answer: StepAnswer) => void): void;
  /** Says that a step is done here, as often as one likes; step 0 asks which one the others are in. */
  arrive(arrival: Arrival, onAnswer: (answer: BarrierAnswer) => void): void;
  /** Finds links to pack; packs them; puts back the links of a block that was handed out. */
  chill(wanted: Chill, onAnswer: (answer: ColdLinks | undefined) => void): void;
  pack(block: Pack, onAnswer: (isPacked: boolean) => void): void;
  unpack(block: Unpack, onAnswer: (isDone: boolean) => void): void;
  /** Bytes that the engine uses, of several servers the fullest. */
  memory(onAnswer: (bytes: number) => void): void;
  /** Gives a partition back, with everything that is not settled. */
  release(claim: Claim, onAnswer: () => void): void;
  /** Takes a dead holder's lease of a partition away; answers how many pages it settled there, undefined if its lease is valid. */
  fence(partition: number, holder: string, onAnswer: (pages: number | undefined) => void): void;
  beat(about: string, isLeaving: boolean, onAnswer: (answer: BeatAnswer) => void): void;
  permits(totals: PermitTotals, wanted: number, onAnswer: (answer: PermitAnswer) => void): void;
  /** A dead holder settled so many pages: the rest of its permits is free. */
  bury(holder: string, pages: number, onAnswer: () => void): void;
  addFacts(facts: readonly Buffer[], onAnswer: () => void): void;
  factsFrom(index: number, onAnswer: (facts: readonly Buffer[]) => void): void;
  /** `inserted` and `settled` of every partition, and the last block number of this holder there. */
  counts(onAnswer: (counts: readonly PartitionCounts[]) => void): void;
  /** The last number of this holder's blocks that these partitions have. */
  reached(partitions: readonly number[], onAnswer: (numbers: readonly number[]) => void): void;
  floor(call: FloorCall, onAnswer: (answer: FloorAnswer) => void): void;
  /** Keeps bytes by name with a partition, and gives them to whoever has it then. */
  keep(partition: number, name: string, bytes: Uint8Array): void;
  recall(partition: number, name: string, onAnswer: (bytes: Buffer | undefined) => void): void;
  /**
   * Answers the life of the engine when nothing that it answered in this life before the call can be lost any more, and
   * undefined when that is not known. What was answered in an earlier life may be lost already.
   */
  synced(onAnswer: (life: string | undefined) => void): void;
  /** The same for who leaves: also where the engine cannot tell by itself, and is looked at until it is certain. */
  flushed(onAnswer: (life: string | undefined) => void): void;
  /** Tells the others that there is something to take in a partition. */
  wake(partition: number): void;
}
