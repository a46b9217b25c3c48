import type { PlaceOfRecord } from "../../crawl/hand-off/hand-off-port.ts";
import type { Random } from "../../web/seeded-random.ts";
import { SimBuilder } from "./sim-builder.ts";
import type { SimDisk } from "./sim-disk.ts";
import type { SimMemory } from "./sim-memory.ts";
import type { SimParts } from "./sim-parts.ts";

/** The builders of a simulated crawl: one thread for all crawlers, or one in the thread of each (`--builders 0`). */
export class SimBuilders {
  readonly #memory: SimMemory;
  readonly #open: (builder: number) => SimBuilder;
  /** Undefined where the thread is dead. */
  readonly #builders: (SimBuilder | undefined)[];

  constructor(
    disk: SimDisk,
    parts: SimParts,
    memory: SimMemory,
    together: boolean,
    tell: (thread: number, places: readonly PlaceOfRecord[]) => void,
  ) {
    this.#memory = memory;
    this.#open = (builder) => new SimBuilder(disk, parts, memory, together, tell, builder);
    const count = memory.isJoined ? memory.threads : 1;
    this.#builders = Array.from({ length: count }, (_, builder) => this.#open(builder));
  }

  get #alive(): SimBuilder[] {
    return this.#builders.filter((builder) => builder !== undefined);
  }

  /** The builder that takes records of a crawler past its buffer, if one does. */
  nearOf(thread: number): SimBuilder | undefined {
    return this.#memory.isJoined ? this.#builders[thread] : undefined;
  }

  /** True between the first and the last step of a commit. */
  get isCommitting(): boolean {
    return this.#alive.some((builder) => builder.isCommitting);
  }

  /** One of them does something. */
  step(random: Random): void {
    // No chance is drawn where there is no choice: the lives of seeds stay what they were.
    const builder = this.#builders.length === 1 ? 0 : random.below(this.#builders.length);
    this.#builders[builder]?.step(random);
  }

  /** Reads a little of every buffer; false when there is nothing. */
  read(): boolean {
    return this.#alive.map((builder) => builder.read()).includes(true);
  }

  /** The next step of each disk, or a turn so late that it is time to commit; false when there is nothing. */
  goOn(): boolean {
    return this.#alive.map((builder) => builder.goOn()).includes(true);
  }

  /** Commits everything that arrived whole. */
  commit(): void {
    for (const builder of this.#alive) builder.commit();
  }

  /** A thread is dead, and its builder with it: what it had not written is gone. */
  threadDied(thread: number): void {
    if (this.#memory.isJoined) this.#builders[thread] = undefined;
  }

  /** What a dead crawler handed over whole is stored, unless nobody is left who could. */
  crawlerDied(thread: number): void {
    if (!this.#memory.isJoined) {
      this.#builders[0]!.crawlerDied(thread);
      return;
    }
    this.#memory.renewBuffer(thread);
    this.#builders[thread] = this.#open(thread);
  }
}
