/** All states met so far, whole, each once, with the way that first led to it. */
export class StateTable {
  readonly #width: number;
  readonly #keepEdges: boolean;
  #states: Int32Array;
  #slots = new Int32Array(1 << 14);
  #from = new Int32Array(1 << 10);
  #choice = new Uint8Array(1 << 10);
  /** Successors of state n: edges firstEdge[n] to firstEdge[n + 1]. */
  readonly edges: number[] = [];
  readonly edgeChoices: number[] = [];
  readonly firstEdge: number[] = [0];
  size = 0;

  constructor(width: number, keepEdges: boolean) {
    this.#width = width;
    this.#keepEdges = keepEdges;
    this.#states = new Int32Array(width << 10);
  }

  /** Adds the state that stands in the first cells of `mem`, unless it is known; answers its number. */
  add(mem: Int32Array, from: number, choice: number): number {
    const width = this.#width;
    let hash = 0x811c9dc5 | 0;
    for (let i = 0; i < width; i++) hash = Math.imul(hash ^ mem[i]!, 0x9e3779b1) ^ (hash >>> 15);
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 16)) & mask;
    let id = this.#slots[slot]! - 1;
    while (id >= 0 && !this.#equals(id, mem)) {
      slot = (slot + 1) & mask;
      id = this.#slots[slot]! - 1;
    }
    if (id < 0) {
      id = this.size++;
      this.#store(id, mem, from, choice);
      this.#slots[slot] = id + 1;
      if (this.size * 2 > this.#slots.length) this.#rehash();
    }
    if (this.#keepEdges && from >= 0) {
      this.edges.push(id);
      this.edgeChoices.push(choice);
    }
    return id;
  }

  /** All successors of the next state in order have been added. */
  closeEdges(): void {
    if (this.#keepEdges) this.firstEdge.push(this.edges.length);
  }

  /** Copies a state into the first cells of `mem`. */
  read(id: number, mem: Int32Array): void {
    const states = this.#states;
    const at = id * this.#width;
    for (let i = 0; i < this.#width; i++) mem[i] = states[at + i]!;
  }

  /** The choices that first led to a state. */
  pathTo(id: number): number[] {
    const way: number[] = [];
    for (let at = id; this.#from[at]! >= 0; at = this.#from[at]!) way.push(this.#choice[at]!);
    return way.reverse();
  }

  #equals(id: number, mem: Int32Array): boolean {
    const states = this.#states;
    const at = id * this.#width;
    for (let i = 0; i < this.#width; i++) if (states[at + i] !== mem[i]) return false;
    return true;
  }

  #store(id: number, mem: Int32Array, from: number, choice: number): void {
    const width = this.#width;
    if ((id + 1) * width > this.#states.length) this.#states = longer(this.#states);
    if (id >= this.#from.length) {
      this.#from = longer(this.#from);
      const choices = new Uint8Array(this.#choice.length * 2);
      choices.set(this.#choice);
      this.#choice = choices;
    }
    const at = id * width;
    for (let i = 0; i < width; i++) this.#states[at + i] = mem[i]!;
    this.#from[id] = from;
    this.#choice[id] = choice;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.size; id++) {
      let hash = 0x811c9dc5 | 0;
      const at = id * this.#width;
      for (let i = 0; i < this.#width; i++) {
        hash = Math.imul(hash ^ this.#states[at + i]!, 0x9e3779b1) ^ (hash >>> 15);
      }
      let slot = (hash ^ (hash >>> 16)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }
}

function longer(array: Int32Array): Int32Array<ArrayBuffer> {
  const result = new Int32Array(array.length * 2);
  result.set(array);
  return result;
}
