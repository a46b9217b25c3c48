import { join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { segmentName } from "../journal/journal-files.ts";
import type { Damage, JournalEnd } from "../journal/journal-reader.ts";
import type { ShardState } from "./shard-state.ts";

/** Numbers per entry of `ShardExchange.sent` and of `received`. */
const SENT = 4;
const RECEIVED = 3;

/** Which blocks a shard has exchanged with the others, as its own journal knows it. Plain data: it crosses threads. */
export interface ShardExchange {
  readonly shard: number;
  /** Where its journal ends: the place to name when it ends too early. */
  readonly file: string;
  readonly offset: number;
  /** The newest run that wrote to it. */
  readonly epoch: number;
  /** Target, epoch, highest number sent, highest number confirmed; for each pair of target and epoch. */
  readonly sent: Uint32Array;
  /** Producer, epoch, highest number received. */
  readonly received: Uint32Array;
  /** What is wrong with its journal by itself. */
  readonly fault: string | undefined;
}

/** What a shard that was just read has exchanged. */
export function exchangeOf(
  folder: string,
  shard: number,
  state: Pick<ShardState, "sent" | "received" | "outbox" | "contradictions">,
  end: Pick<JournalEnd, "segment" | "bytes" | "epoch"> | undefined,
): ShardExchange {
  const sent = new Uint32Array(SENT * state.sent.size);
  let at = 0;
  for (const [name, number] of state.sent) {
    const [target, epoch] = name.split(" ").map(Number) as [number, number];
    const first = state.outbox.get(name)?.[0];
    sent.set([target, epoch, number, first === undefined ? number : first.number - 1], at);
    at += SENT;
  }
  const received = new Uint32Array(RECEIVED * state.received.size);
  at = 0;
  for (const [name, number] of state.received) {
    const [producer, epoch] = name.split(" ").map(Number) as [number, number];
    received.set([producer, epoch, number], at);
    at += RECEIVED;
  }
  const { segment = 1, bytes = 0, epoch = 0 } = end ?? {};
  return {
    shard,
    file: join(folder, segmentName(shard, Math.max(1, segment))),
    offset: bytes,
    epoch,
    sent,
    received,
    fault: faultOf(state),
  };
}

/** A crash leaves no journal that contradicts itself. */
function faultOf({ contradictions }: Pick<ShardState, "contradictions">): string | undefined {
  const first = contradictions[0];
  if (first === undefined) return undefined;
  if (first.kind === "unknown-url") return "a URL is done that was never found";
  const { kind, shard, epoch, number, reached } = first;
  const which = kind === "gap" ? "received from" : "sent to";
  return `block ${number} ${which} shard ${shard} in run ${epoch} follows block ${reached}`;
}

/** A function that answers how far a shard has received what another one sent in a run. */
export function receivedIn(
  all: Iterable<Pick<ShardExchange, "shard" | "received">>,
): (producer: number, target: number, epoch: number) => number {
  // By run, and then by pair: an entry per pair and run, however many runs there were.
  const numbers = new Map<number, Map<number, number>>();
  for (const { shard, received } of all) {
    for (let at = 0; at < received.length; at += RECEIVED) {
      const run = numbers.get(received[at + 1]!) ?? new Map<number, number>();
      numbers.set(received[at + 1]!, run);
      run.set(pair(received[at]!, shard), received[at + 2]!);
    }
  }
  return (producer, target, epoch) => numbers.get(epoch)?.get(pair(producer, target)) ?? 0;
}

function pair(producer: number, target: number): number {
  return producer * 0x1_0000 + target;
}

/**
 * What the journals of shards say against each other. A block leaves when the batch that sent it is synced, and is
 * confirmed when the batch that received it is: so after any crash confirmed <= received <= sent holds for each pair and
 * run. Journals for which it does not hold were not written by one crawl, or were not copied at one moment. Pairs of which
 * only one shard is given are left out.
 */
export function* contradictionsIn(all: readonly ShardExchange[]): Generator<Damage, void> {
  const byShard = new Map(all.map((one) => [one.shard, one]));
  const receivedOf = receivedIn(all);
  const sentOf = new Set<string>();
  for (const one of all) {
    const { shard, sent, file, offset, fault } = one;
    if (fault !== undefined) yield { file, offset, what: fault };
    for (let at = 0; at < sent.length; at += SENT) {
      const [target, epoch, number, confirmed] = sent.subarray(at, at + SENT) as unknown as [
        number,
        number,
        number,
        number,
      ];
      const other = byShard.get(target);
      if (other === undefined) continue;
      const received = receivedOf(shard, target, epoch);
      if (received > 0) sentOf.add(`${shard} ${target} ${epoch}`);
      if (confirmed > received)
        yield behind(
          other,
          `has ${received} of the ${confirmed} blocks`,
          shard,
          epoch,
          "confirmed",
        );
      if (received > number)
        yield behind(one, `sent ${number} of the ${received} blocks`, target, epoch, "received");
    }
  }
  for (const { shard: target, received } of all) {
    for (let at = 0; at < received.length; at += RECEIVED) {
      const [producer, epoch, number] = received.subarray(at, at + RECEIVED) as unknown as [
        number,
        number,
        number,
      ];
      const one = byShard.get(producer);
      if (one !== undefined && !sentOf.has(`${producer} ${target} ${epoch}`))
        yield behind(one, `sent none of the ${number} blocks`, target, epoch, "received");
    }
  }
}

function behind(
  { shard, file, offset }: ShardExchange,
  has: string,
  other: number,
  epoch: number,
  how: "confirmed" | "received",
): Damage {
  const what = `shard ${shard} ${has} of run ${epoch} that shard ${other} has ${how}: these journals are not of one crawl at one moment`;
  return { file, offset, what };
}

/** Throws StoreCorruptError for the first contradiction. `newest` is the number of the last run that may have written. */
export function refuseContradictions(all: readonly ShardExchange[], newest: number): void {
  const late = all.find(({ epoch }) => epoch > newest);
  if (late !== undefined) {
    const { file, epoch } = late;
    const what = `run ${epoch} wrote this, and state/crawl.json knows no run after ${newest}`;
    throw new StoreCorruptError(`${file}:0: ${what}: these files are not of one moment`);
  }
  for (const { file, offset, what } of contradictionsIn(all))
    throw new StoreCorruptError(`${file}:${offset}: ${what}`);
}
