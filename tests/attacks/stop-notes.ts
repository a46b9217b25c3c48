import type { ChildProcess } from "node:child_process";
import { appendFileSync } from "node:fs";

/** In the environment of programs that interrupt themselves: the file in which they note that. */
export const STOP_NOTES = "ORBWEAVER_STOP_NOTES";

/** What is known of a process: when it was interrupted, how long its exit took, or that its attack killed it. */
export interface StopNote {
  readonly pid: number;
  readonly afterMs?: number;
  readonly exitMs?: number;
  readonly code?: number;
  readonly isKilled?: true;
}

/** Nothing happens unless stops are noted. */
export function noteStop(note: StopNote): void {
  const path = process.env[STOP_NOTES];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(note)}\n`);
}

/** `kill -9` as a part of an attack: a process that was just interrupted owes no exit then. */
export function killInAttack(child: ChildProcess): void {
  noteStop({ pid: child.pid!, isKilled: true });
  child.kill("SIGKILL");
}
