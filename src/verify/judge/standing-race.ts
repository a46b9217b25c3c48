import type { World } from "../machine/explored-world.ts";
import { Machine } from "../machine/machine.ts";
import { isPlain, KIND, type Operation } from "../operations.ts";
import { raceBetweenNext } from "./next-race.ts";

/** One step, and the numbers of all steps that happened before it, its own included. */
interface Event {
  readonly choice: number;
  readonly thread: number;
  readonly operation: Operation | undefined;
  readonly past: ReadonlySet<number>;
}

const NOTHING: ReadonlySet<number> = new Set();

/**
 * A search that lets payload run together with the step before it knows of a race by clocks: the accesses are never
 * next to each other. Here its schedule becomes one of single steps, without whatever happened neither before the
 * one access nor before the other, so that at its end both threads stand before their accesses.
 */
export function standBeforeRace(world: World, choices: readonly number[]): number[] | undefined {
  const steps = new Steps(world).untilRace(choices);
  return steps !== undefined && showsRace(world, steps) ? steps : undefined;
}

function showsRace(world: World, steps: readonly number[]): boolean {
  const machine = new Machine(world, false);
  machine.begin();
  for (const choice of steps) {
    const t = choice % machine.threads;
    if (choice >= machine.threads) machine.kill(t);
    else if (machine.enabled(t)) machine.step(t);
    else return false;
    machine.commit();
  }
  return raceBetweenNext(machine) !== undefined;
}

/** Takes the steps of a schedule, payload as steps of its own, and keeps what happened before what. */
class Steps {
  readonly #machine: Machine;
  readonly #events: Event[] = [];
  /** What happened before the next step of each thread. */
  readonly #pasts: ReadonlySet<number>[];
  /** What happened before the last store into each word. */
  readonly #released = new Map<number, ReadonlySet<number>>();
  #rung = NOTHING;

  constructor(world: World) {
    this.#machine = new Machine(world, false);
    this.#machine.begin();
    this.#pasts = world.automata.map(() => NOTHING);
  }

  untilRace(choices: readonly number[]): number[] | undefined {
    const { threads } = this.#machine;
    for (let t = 0; t < threads; t++) {
      const race = this.#payload(t);
      if (race !== undefined) return race;
    }
    for (const choice of choices) {
      this.#take(choice);
      const ran = [choice % threads, ...this.#machine.woken.subarray(0, this.#machine.wokenCount)];
      for (const t of ran) {
        const race = this.#payload(t);
        if (race !== undefined) return race;
      }
    }
    return undefined;
  }

  /** The payload that the thread touches before its next step; the answer is the schedule to a race. */
  #payload(t: number): number[] | undefined {
    while (!this.#machine.ended(t) && isPlain(this.#machine.kindOf(t))) {
      const access = this.#operationOf(t);
      const past = this.#pasts[t]!;
      const other = this.#events.find(
        ({ thread, operation }, n) => thread !== t && !past.has(n) && conflict(operation, access),
      );
      if (other !== undefined) {
        const number = this.#events.indexOf(other);
        return this.#events
          .filter((_, n) => n !== number && (past.has(n) || other.past.has(n)))
          .map(({ choice }) => choice);
      }
      this.#take(t);
    }
    return undefined;
  }

  #take(choice: number): void {
    const machine = this.#machine;
    const t = choice % machine.threads;
    const killed = choice >= machine.threads;
    const operation = killed ? undefined : this.#operationOf(t);
    if (killed) machine.kill(t);
    else machine.step(t);
    const past = new Set(this.#pasts[t]);
    for (const earlier of this.#learnt(operation)) past.add(earlier);
    past.add(this.#events.length);
    this.#events.push({ choice, thread: t, operation, past });
    this.#pasts[t] = past;
    if (killed) machine.wokenCount = 0;
    else this.#teach(operation!, past);
    machine.commit();
  }

  /** What a thread knows to have happened by what it has just read. */
  #learnt(operation: Operation | undefined): ReadonlySet<number> {
    switch (operation?.kind) {
      case undefined:
      case KIND.store:
        return NOTHING;
      case KIND.awaitEnd:
        return this.#pasts[operation!.a]!;
      case KIND.awaitRing:
        return this.#rung;
      case KIND.wait:
        // Whoever falls asleep has learnt nothing; the wake-up tells.
        return this.#machine.answer < 0 ? NOTHING : this.#releasedInto();
      default:
        return isPlain(operation!.kind) ? NOTHING : this.#releasedInto();
    }
  }

  #teach(operation: Operation, past: ReadonlySet<number>): void {
    const machine = this.#machine;
    if (operation.kind === KIND.notify) {
      this.#rung = past;
      for (const t of machine.woken.subarray(0, machine.wokenCount)) {
        this.#pasts[t] = new Set([...this.#pasts[t]!, ...past]);
      }
    } else if (operation.kind > KIND.load && operation.kind <= KIND.compareExchange) {
      if (machine.write1 === 1) this.#released.set(machine.object1, past);
    }
  }

  #releasedInto(): ReadonlySet<number> {
    return this.#released.get(this.#machine.object1) ?? NOTHING;
  }

  #operationOf(t: number): Operation {
    const { automata, mem } = this.#machine;
    return automata[t]!.operations[mem[this.#machine.cellsOf(t)]!]!;
  }
}

function conflict(a: Operation | undefined, b: Operation): boolean {
  if (a === undefined || !isPlain(a.kind)) return false;
  if (a.kind === KIND.read && b.kind === KIND.read) return false;
  return Math.max(a.byte, b.byte) < Math.min(a.byte + a.bytes, b.byte + b.bytes);
}
