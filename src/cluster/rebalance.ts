import { UsageError } from "../errors.ts";
import type { ConnectedEngine } from "../frontier/engine/connect-engine.ts";
import { slotOf } from "../frontier/engine/engine-keys.ts";
import { defineScripts, runScript } from "../frontier/engine/scripts/named-scripts.ts";
import { type MasterNode, readMasters } from "./cluster-nodes.ts";
import type { EngineCrawl } from "./find-crawl.ts";
import { moveSlot, type SlotMove, unfreeze } from "./move-slot.ts";

/** What a rebalancing did. */
export interface Rebalanced {
  readonly servers: number;
  readonly moved: number;
  readonly keys: number;
  /** Partitions that an interrupted call had left frozen. */
  readonly unfrozen: number;
  /** Partitions that another tool had moved, and that stood still since. */
  readonly adopted: number;
}

/**
 * Spreads the partitions of a crawl evenly over the masters of a cluster, moving as few as possible, one after the other.
 * Workers go on meanwhile; of a partition that moves they are told to wait.
 */
export async function rebalance(
  engine: ConnectedEngine,
  crawl: EngineCrawl,
  onMove: (done: number, moves: number) => void = () => {},
): Promise<Rebalanced> {
  if (!engine.address.isCluster)
    throw new UsageError("the engine is one server, not a cluster: there is nothing to move");
  const masters = await readMasters(engine);
  const slots = Array.from({ length: crawl.partitions }, (_, number) =>
    slotOf(/\{(.*)\}$/.exec(crawl.keys.partition(number))![1]!),
  );
  const bySlot = new Map(slots.map((slot, number) => [slot, crawl.keys.partition(number)]));
  const moves = [...begunMoves(masters, bySlot), ...evenMoves(masters, slots)];
  let keys = 0;
  try {
    for (const [done, move] of moves.entries()) {
      onMove(done, moves.length);
      keys += await moveSlot(move, bySlot.get(move.slot)!, masters, engine.address);
    }
  } finally {
    for (const { client } of masters) if (!engine.masters().includes(client)) client.disconnect();
  }
  let [unfrozen, adopted] = [0, 0];
  defineScripts(engine.client);
  for (const base of bySlot.values()) {
    if (await unfreeze(engine.client as Parameters<typeof unfreeze>[0], base)) unfrozen++;
    if ((await runScript(engine.client, "owAdopt", base, [])) === 1) adopted++;
  }
  return { servers: masters.length, moved: moves.length, keys, unfrozen, adopted };
}

/** Moves that an interrupted call has begun. */
function begunMoves(
  masters: readonly MasterNode[],
  bySlot: ReadonlyMap<number, string>,
): SlotMove[] {
  return masters.flatMap((source) =>
    [...source.migrating].flatMap(([slot, id]) => {
      const target = masters.find((one) => one.id === id);
      return target === undefined || !bySlot.has(slot) ? [] : [{ slot, source, target }];
    }),
  );
}

/** As few moves as there can be such that no server has two partitions more than another. */
export function evenMoves(masters: readonly MasterNode[], slots: readonly number[]): SlotMove[] {
  const begun = new Map(masters.flatMap(({ migrating }) => [...migrating]));
  const owned = new Map<MasterNode, number[]>(masters.map((master) => [master, []]));
  for (const slot of slots) {
    const id = begun.get(slot);
    const owner = masters.find((one) => (id === undefined ? one.slots.has(slot) : one.id === id));
    if (owner !== undefined) owned.get(owner)!.push(slot);
  }
  const moves: SlotMove[] = [];
  for (;;) {
    const order = [...owned].sort(([, a], [, b]) => a.length - b.length);
    const [target, least] = order[0]!;
    const [source, most] = order.at(-1)!;
    if (most.length - least.length < 2) return moves;
    // One that is only on its way to the source stays there.
    const at = most.findLastIndex((slot) => source.slots.has(slot));
    if (at < 0) return moves;
    const [slot] = most.splice(at, 1);
    least.push(slot!);
    moves.push({ slot: slot!, source, target });
  }
}
