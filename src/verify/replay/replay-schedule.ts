import { UsageError } from "../../errors.ts";
import { type Entry, findEntry } from "../catalogue.ts";
import type { Patch } from "../configuration.ts";
import { raceBetweenNext } from "../judge/next-race.ts";
import { Judge } from "../judge/verdict.ts";
import { World } from "../machine/explored-world.ts";
import { Machine } from "../machine/machine.ts";
import { clockedMachine } from "../machine/race-clocks.ts";
import { QUEUED } from "../machine/state-layout.ts";
import { KIND, KIND_NAMES, WAIT_ANSWERS } from "../operations.ts";
import { isEager } from "../search/concrete.ts";
import { wordName } from "../word-names.ts";
import { parseSchedule, type Schedule } from "./schedule.ts";

/** A schedule run again, step by step. */
export interface Replay {
  readonly violation: string | undefined;
  /** One line per step. */
  readonly log: readonly string[];
  /** Steps before the state that comes back at the end, when that is what is wrong. */
  readonly roundFrom: number | undefined;
  readonly threads: number;
  readonly steps: readonly ReplayedStep[];
}

/** One step, and how things stand behind it. */
export interface ReplayedStep {
  readonly thread: number;
  /** What it did, with the names of words. */
  readonly text: string;
  /** Who holds the lock, where a word is called so. */
  readonly holder: number | undefined;
  readonly asleep: readonly number[];
}

/** A schedule together with what it runs. */
export interface Resolved {
  readonly schedule: Schedule;
  readonly entry: Entry;
  readonly patches: readonly Patch[];
}

/** A lock of one's own in the place of the shipped example, and what its words are called. */
export interface Subject {
  readonly patches?: readonly Patch[];
  readonly names?: readonly string[];
}

/** Finds configuration and mutant of a printed schedule. */
export function resolveSchedule(text: string, { patches = [], names }: Subject = {}): Resolved {
  const schedule = parseSchedule(text, (name) => findEntry(name).configuration.threads);
  const found = findEntry(schedule.configuration);
  const configuration =
    names === undefined ? found.configuration : { ...found.configuration, wordNames: names };
  const entry = { ...found, configuration };
  if (schedule.mutant === undefined) return { schedule, entry, patches };
  const mutant = entry.configuration.mutants.find((m) => m.name === schedule.mutant);
  if (!mutant) throw new UsageError(`${schedule.configuration} has no mutant ${schedule.mutant}`);
  return { schedule, entry, patches: mutant.patches };
}

/** The world of a replay, in which threads are not interchangeable: that only served the search. */
export function namedWorld({ module, configuration }: Entry, patches: readonly Patch[]): World {
  const { roles: _, ...named } = configuration;
  return new World(module, named, patches);
}

/** Runs a printed schedule on the rewritten shipped code and logs every step. */
export function replaySchedule(text: string, subject?: Subject): Replay {
  const { schedule, entry, patches } = resolveSchedule(text, subject);
  const world = namedWorld(entry, patches);
  const eager = isEager(world);
  const clocked = eager && world.configuration.eagerPayload !== true;
  const machine = clocked ? clockedMachine(world) : new Machine(world, eager);
  const { threads } = machine;
  machine.begin();
  const log: string[] = [];
  const steps: ReplayedStep[] = [];
  let holder: number | undefined;
  const seen = new Map<string, number>([[stateText(machine), 0]]);
  let roundFrom: number | undefined;
  for (const choice of schedule.choices) {
    const t = choice % threads;
    const killed = choice >= threads;
    if (!killed && !machine.enabled(t))
      throw new UsageError(`step ${log.length}: thread ${t} cannot run`);
    const before = killed ? "killed" : describe(machine, t);
    machine.follow(choice);
    const what = killed ? before : `${before}${answerOf(machine, before)}`;
    log.push(line(log.length, t, what));
    holder = holderAfter(what, t, holder);
    machine.commit();
    steps.push({ thread: t, text: what, holder, asleep: sleepersOf(machine) });
    const text = stateText(machine);
    roundFrom = seen.get(text);
    seen.set(text, log.length);
  }
  const stuck = machine.enabledMask() === 0 ? new Judge(machine).judge() : undefined;
  const wrong = machine.fault ?? (eager ? undefined : raceBetweenNext(machine)) ?? stuck;
  if (wrong !== undefined) roundFrom = undefined;
  const comesBack = roundFrom !== undefined && `the state after step ${roundFrom} comes back`;
  const violation = wrong ?? (comesBack || undefined);
  log.push(violation === undefined ? "no violation" : `=> ${violation}`);
  return { violation, log, roundFrom, threads, steps };
}

/** Follows the word called lock: from 0 it is taken, to 0 it is given back. */
function holderAfter(what: string, t: number, holder: number | undefined): number | undefined {
  if (!/ lock\b/.test(what)) return holder;
  if (/^compareExchange .*: 0 -> .* = 0$/.test(what) || /^exchange .*, -?[1-9]\d* = 0$/.test(what))
    return t;
  const leaves =
    /^(store|exchange) [^,]*, 0( |$)/.test(what) || /^compareExchange .* -> 0 /.test(what);
  return leaves && holder === t ? undefined : holder;
}

function sleepersOf(machine: Machine): number[] {
  return Array.from({ length: machine.threads }, (_, t) => t).filter(
    (t) => machine.mem[machine.cellsOf(t) + QUEUED]! > 0,
  );
}

function stateText(machine: Machine): string {
  return machine.mem.subarray(0, machine.stateCells).join();
}

function line(number: number, t: number, text: string): string {
  return `${String(number + 1).padStart(4)}  ${"                    ".slice(0, 2 * t)}thread ${t}  ${text}`;
}

function describe(machine: Machine, t: number): string {
  const operation = machine.operationOf(t);
  const name = KIND_NAMES[operation.kind]!;
  const word = wordName(operation, machine.world.configuration.wordNames);
  if (machine.mem[machine.cellsOf(t) + QUEUED]! > 0) return `wait on ${word} times out`;
  const a = operation.wideA ?? operation.a;
  switch (operation.kind) {
    case KIND.read:
    case KIND.write:
      return `${name} payload bytes ${operation.byte} to ${operation.byte + operation.bytes - 1}`;
    case KIND.load:
      return `load ${word}`;
    case KIND.compareExchange:
      return `compareExchange ${word}: ${a} -> ${operation.wideB ?? operation.b}`;
    case KIND.invoke:
    case KIND.respond:
    case KIND.awaitEnd:
    case KIND.awaitRing:
      return `${name} ${operation.a}`;
    default:
      return `${name} ${word}, ${a}`;
  }
}

function answerOf(machine: Machine, what: string): string {
  if (what.startsWith("wait"))
    return machine.answer < 0 ? " sleeps" : ` = ${WAIT_ANSWERS[machine.answer]}`;
  return /^(read|write|store|invoke|respond|await)/.test(what) ? "" : ` = ${machine.answer}`;
}
