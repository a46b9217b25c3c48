import { UsageError } from "../../errors.ts";

/** Slots of a Redis cluster. */
const SLOTS = 16_384;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The names of a crawl's keys; nothing outside this prefix is ever touched. */
export class EngineKeys {
  /** Every key of the crawl begins with it. */
  readonly prefix: string;
  /** Base of what the crawl has once: settings, workers, permits, facts. */
  readonly crawl: string;
  readonly #tags: readonly string[];

  constructor(name: string, partitions: number) {
    this.prefix = `orbweaver:${checkedName(name)}:`;
    this.crawl = `${this.prefix}{crawl}`;
    this.#tags = partitionTags(partitions);
  }

  /** Base of a partition's keys, and itself the key of its counters. */
  partition(number: number): string {
    return `${this.prefix}{${this.#tags[number]}}`;
  }

  /** The slot in which all keys of a partition lie. */
  slot(number: number): number {
    return slotOf(this.#tags[number]!);
  }
}

/** The name of a crawl, which becomes part of keys and of folder names. */
export function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw new UsageError(
    `--crawl ${JSON.stringify(name.slice(0, 80))}: a name has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit`,
  );
}

/**
 * One hash tag per partition, such that the partitions lie side by side in equal parts of the slots: whichever ranges
 * the servers of a cluster have, each gets its share of partitions.
 */
export function partitionTags(partitions: number): string[] {
  const tags: string[] = Array.from({ length: partitions });
  for (let next = 0, missing = partitions; missing > 0; next++) {
    const tag = next.toString(36);
    const at = Math.floor((slotOf(tag) * partitions) / SLOTS);
    if (tags[at] !== undefined) continue;
    tags[at] = tag;
    missing--;
  }
  return tags;
}

/** The slot of a hash tag: CRC-16/XMODEM, as the cluster specification asks for. */
export function slotOf(tag: string): number {
  let crc = 0;
  for (let i = 0; i < tag.length; i++) {
    crc ^= tag.charCodeAt(i) << 8;
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc % SLOTS;
}
