import type { BuilderLegacy } from "../../crawl/builder/builder-message.ts";
import type { PlaceOfRecord } from "../../crawl/hand-off/hand-off-port.ts";
import type { Random } from "../../web/seeded-random.ts";
import { SimBuilder } from "./sim-builder.ts";
import type { SimDisk } from "./sim-disk.ts";
import type { SimMemory } from "./sim-memory.ts";
import type { SimParts } from "./sim-parts.ts";

/**
 * The builders of a simulated crawl: one thread for all crawlers, or one in the thread of each (`--builders 0`), from
 * which threads of their own take over after so many steps where the plan says so.
 */
export class SimBuilders {
  readonly #memory: SimMemory;
  readonly #open: (builder: number, legacy?: BuilderLegacy) => SimBuilder;
  readonly #takeOverAfter: number | undefined;
  #steps = 0;
  /** Undefined where the thread is dead. */
  readonly #builders: (SimBuilder | undefined)[];

  constructor(
    disk: SimDisk,
    parts: SimParts,
    memory: SimMemory,
    together: boolean,
    tell: (thread: number, places: readonly PlaceOfRecord[]) => void,
    takeOverAfter?: number,
  ) {
    this.#memory = memory;
    this.#takeOverAfter = takeOverAfter;
    this.#open = (builder, legacy) =>
      new SimBuilder(disk, parts, memory, together, tell, builder, legacy);
    const count = memory.isJoined ? memory.threads : 1;
    this.#builders = Array.from({ length: count }, (_, builder) => this.#open(builder));
  }

  get #alive(): SimBuilder[] {
    return this.#builders.filter((builder) => builder !== undefined);
  }

  /** The builder that takes records of a crawler past its buffer, if one does. */
  nearOf(thread: number): SimBuilder | undefined {
    const builder = this.#memory.isJoined ? this.#builders[thread] : undefined;
    return builder?.isJoined === true ? builder : undefined;
  }

  /** True between the first and the last step of a commit. */
  get isCommitting(): boolean {
    return this.#alive.some((builder) => builder.isCommitting);
  }

  /** One of them does something. */
  step(random: Random): void {
    if (++this.#steps === this.#takeOverAfter) this.#takeOver();
    // No chance is drawn where there is no choice: the lives of seeds stay what they were.
    const builder = this.#builders.length === 1 ? 0 : random.below(this.#builders.length);
    this.#builders[builder]?.step(random);
  }

  /** Threads take over from all builders beside crawlers; a crawler that is dead just now keeps its own. */
  #takeOver(): void {
    for (const [number, builder] of this.#builders.entries())
      if (builder?.isJoined === true)
        builder.leave((legacy) => {
          if (this.#builders[number] === builder)
            this.#builders[number] = this.#open(number, legacy);
        });
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
    // One that leaves has a successor then.
    for (const builder of this.#alive) builder.finish();
    for (const builder of this.#alive) builder.commit();
  }

  /** A thread is dead, and its builder with it if they share it: what that had not written is gone. */
  threadDied(thread: number): void {
    if (this.nearOf(thread) !== undefined) this.#builders[thread] = undefined;
  }

  /** What a dead crawler handed over whole is stored, unless nobody is left who could. */
  crawlerDied(thread: number): void {
    const builder = this.#builders[this.#memory.isJoined ? thread : 0];
    if (builder !== undefined) {
      builder.crawlerDied(thread);
      return;
    }
    this.#memory.renewBuffer(thread);
    this.#builders[thread] = this.#open(thread);
  }
}
