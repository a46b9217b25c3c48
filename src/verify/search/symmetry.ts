import type { Machine } from "../machine/machine.ts";
import { THREAD_CELLS } from "../machine/state-layout.ts";

const ID_MASK = 0x7fffffff;

/** Interchangeable threads: of all states that differ only in their names, one is kept. */
export class Symmetry {
  readonly #machine: Machine;
  readonly #groups: number[][];
  readonly #ownerWords: readonly number[];
  /** The original thread at each place, for turning places back into threads. */
  readonly names: number[];

  constructor(machine: Machine) {
    this.#machine = machine;
    const { roles, ownerWords } = machine.world.configuration;
    const groups = new Map<number, number[]>();
    roles!.forEach((role, t) => {
      groups.set(role, [...(groups.get(role) ?? []), t]);
    });
    this.#groups = [...groups.values()];
    this.names = roles!.map((_, t) => t);
    this.#ownerWords = ownerWords ?? [];
  }

  /** Sorts the threads of each group by their local state and renames the ids in owner words. */
  normalise(): void {
    const { mem } = this.#machine;
    for (const group of this.#groups) {
      // Insertion sort: groups are small and nearly sorted, since only one thread has moved.
      for (let i = 1; i < group.length; i++) {
        for (let k = i; k > 0 && this.#compare(group[k - 1]!, group[k]!) > 0; k--) {
          this.#swap(group[k - 1]!, group[k]!, mem);
        }
      }
    }
  }

  #compare(one: number, two: number): number {
    const { mem } = this.#machine;
    const a = this.#machine.cellsOf(one);
    const b = this.#machine.cellsOf(two);
    for (let i = 0; i < THREAD_CELLS; i++) {
      if (mem[a + i] !== mem[b + i]) return mem[a + i]! - mem[b + i]!;
    }
    return 0;
  }

  #swap(one: number, two: number, mem: Int32Array): void {
    const a = this.#machine.cellsOf(one);
    const b = this.#machine.cellsOf(two);
    for (let i = 0; i < THREAD_CELLS; i++) {
      const saved = mem[a + i]!;
      this.#machine.set(a + i, mem[b + i]!);
      this.#machine.set(b + i, saved);
    }
    const name = this.names[one]!;
    this.names[one] = this.names[two]!;
    this.names[two] = name;
    for (const word of this.#ownerWords) {
      const id = mem[word]! & ID_MASK;
      const other = id === one + 1 ? two + 1 : id === two + 1 ? one + 1 : id;
      if (other !== id) this.#machine.set(word, (mem[word]! & ~ID_MASK) | other);
    }
  }
}
