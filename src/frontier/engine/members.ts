import { siteHash } from "../../url/site.ts";

/** A holder has at most this much more than its equal share of the partitions. */
const BOUND = 1.25;

/**
 * Who should have which partition: rendezvous hashing, where the holder with the highest weight for a partition has it,
 * unless it has its share already. Everybody computes the same from the same names, and one that comes or goes moves
 * hardly more than its own share.
 */
export function assignPartitions(holders: readonly string[], partitions: number): string[] {
  const names = [...holders].sort();
  const seeds = names.map((name) => siteHash(name));
  const most = Math.ceil((BOUND * partitions) / Math.max(1, names.length));
  const loads = names.map(() => 0);
  return Array.from({ length: partitions }, (_, partition) => {
    let best = -1;
    let heaviest = -1;
    for (let i = 0; i < names.length; i++) {
      const weight = weigh(seeds[i]!, partition);
      if (loads[i]! >= most || weight <= heaviest) continue;
      heaviest = weight;
      best = i;
    }
    loads[best]!++;
    return names[best] ?? "";
  });
}

/** Two numbers in, one of 32 bits out that depends on every bit of both. */
function weigh(seed: number, partition: number): number {
  let hash = Math.imul(seed ^ Math.imul(partition + 1, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return (hash ^ (hash >>> 16)) >>> 0;
}
