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
import { parseSchedule, type Schedule } from "./schedule.ts";

/** A schedule run again, step by step. */
export interface Replay {
  readonly violation: string | undefined;
  /** One line per step. */
  readonly log: readonly string[];
  /** Steps before the state that comes back at the end, when that is what is wrong. */
  readonly roundFrom: number | undefined;
}

/** A schedule together with what it runs. */
export interface Resolved {
  readonly schedule: Schedule;
  readonly entry: Entry;
  readonly patches: readonly Patch[];
}

/** Finds configuration and mutant of a printed schedule. */
export function resolveSchedule(text: string): Resolved {
  const schedule = parseSchedule(text, (name) => findEntry(name).configuration.threads);
  const entry = findEntry(schedule.configuration);
  if (schedule.mutant === undefined) return { schedule, entry, patches: [] };
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
export function replaySchedule(text: string): Replay {
  const { schedule, entry, patches } = resolveSchedule(text);
  const world = namedWorld(entry, patches);
  const eager = isEager(world);
  const clocked = eager && world.configuration.eagerPayload !== true;
  const machine = clocked ? clockedMachine(world) : new Machine(world, eager);
  const { threads } = machine;
  machine.begin();
  const log: string[] = [];
  const seen = new Map<string, number>([[stateText(machine), 0]]);
  let roundFrom: number | undefined;
  for (const choice of schedule.choices) {
    const t = choice % threads;
    const killed = choice >= threads;
    if (!killed && !machine.enabled(t))
      throw new UsageError(`step ${log.length}: thread ${t} cannot run`);
    const before = killed ? "killed" : describe(machine, t);
    machine.follow(choice);
    log.push(line(log.length, t, killed ? before : `${before}${answerOf(machine, before)}`));
    machine.commit();
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
  return { violation, log, roundFrom };
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
  if (machine.mem[machine.cellsOf(t) + QUEUED]! > 0)
    return `wait on word ${operation.byte / 4} times out`;
  const a = operation.wideA ?? operation.a;
  switch (operation.kind) {
    case KIND.read:
    case KIND.write:
      return `${name} payload bytes ${operation.byte} to ${operation.byte + operation.bytes - 1}`;
    case KIND.load:
      return `load word ${operation.byte / 4}`;
    case KIND.compareExchange:
      return `compareExchange word ${operation.byte / 4}: ${a} -> ${operation.wideB ?? operation.b}`;
    case KIND.invoke:
    case KIND.respond:
    case KIND.awaitEnd:
    case KIND.awaitRing:
      return `${name} ${operation.a}`;
    default:
      return `${name} word ${operation.byte / 4}, ${a}`;
  }
}

function answerOf(machine: Machine, what: string): string {
  if (what.startsWith("wait"))
    return machine.answer < 0 ? " sleeps" : ` = ${WAIT_ANSWERS[machine.answer]}`;
  return /^(read|write|store|invoke|respond|await)/.test(what) ? "" : ` = ${machine.answer}`;
}
