import type { World } from "../machine/explored-world.ts";
import { Machine } from "../machine/machine.ts";
import { conflict, isPlain, KIND, type Operation } from "../operations.ts";
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
 * Turns a schedule to a race that was found by clocks into one of single steps that ends with both threads right before
 * their accesses: a search that runs payload together with the step before it never has the two next to each other.
 * Steps that happened before neither of the two accesses are left out.
 */
export function standBeforeRace(world: World, choices: readonly number[]): number[] | undefined {
  const steps = new Steps(world).untilRace(choices);
  return steps !== undefined && showsRace(world, steps) ? steps : undefined;
}

function showsRace(world: World, steps: readonly number[]): boolean {
  const machine = new Machine(world, false);
  machine.begin();
  for (const choice of steps) {
    if (choice < machine.threads && !machine.enabled(choice)) return false;
    machine.follow(choice);
    machine.commit();
  }
  return raceBetweenNext(machine) !== undefined;
}

/** Takes the steps of a schedule, payload as steps of its own, and records what happened before what. */
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
    const machine = this.#machine;
    let race = this.#payload(machine.automata.keys());
    for (const choice of choices) {
      if (race !== undefined) break;
      this.#take(choice);
      const woken = machine.woken.subarray(0, machine.wokenCount);
      race = this.#payload([choice % machine.threads, ...woken]);
    }
    return race;
  }

  /** Takes the payload accesses that come before the next steps of these threads; returns the schedule to a race. */
  #payload(threads: Iterable<number>): number[] | undefined {
    for (const t of threads) {
      const race = this.#payloadOf(t);
      if (race !== undefined) return race;
    }
    return undefined;
  }

  #payloadOf(t: number): number[] | undefined {
    while (!this.#machine.ended(t) && isPlain(this.#machine.kindOf(t))) {
      const access = this.#machine.operationOf(t);
      const past = this.#pasts[t]!;
      const other = this.#events.find(
        ({ thread, operation }, n) =>
          thread !== t && !past.has(n) && operation !== undefined && conflict(operation, access),
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
    const operation = killed ? undefined : machine.operationOf(t);
    machine.follow(choice);
    const past = new Set(this.#pasts[t]);
    for (const earlier of this.#learnt(operation)) past.add(earlier);
    past.add(this.#events.length);
    this.#events.push({ choice, thread: t, operation, past });
    this.#pasts[t] = past;
    if (killed) machine.wokenCount = 0;
    else this.#teach(operation!, past);
    machine.commit();
  }

  /** What must have happened before, given what a thread has just read. */
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
        // A thread that falls asleep learns nothing before its wake-up.
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
}
