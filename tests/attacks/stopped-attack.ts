import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Attack, AttackResult } from "./attack.ts";
import { STOP_NOTES, type StopNote } from "./stop-notes.ts";

const MAX_EXIT_MS = 10_000;
/** A bug, a full disk, corrupt state: no stop may end with these. Attacks send signals of their own and refuse second processes. */
const FAULTS = new Set([1, 4, 5]);
/** An attack whose crawls end before they are stopped is not tried for ever. */
const MAX_ROUNDS = 60;
const PROGRAM = fileURLToPath(new URL("./stopped-program.js", import.meta.url));

/** Plays an attack until its crawls were interrupted so many times at random moments: each must exit within 10 s. */
export async function stopAttack(
  attack: Attack,
  { stops, seed }: { readonly stops: number; readonly seed: number },
): Promise<AttackResult> {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-stops-"));
  const path = join(folder, "notes.jsonl");
  writeFileSync(path, "");
  process.env[STOP_NOTES] = path;
  const notes = () =>
    readFileSync(path, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as StopNote);
  const sent = () => notes().filter(({ afterMs }) => afterMs !== undefined);
  try {
    for (let round = 0; round < MAX_ROUNDS && sent().length < stops; round++) {
      // What the attack itself promises does not hold for a crawl that is cut short.
      await attack.run({ program: PROGRAM, size: "short", seed: seed + round }).catch(() => {});
    }
    const exits = new Map(
      notes().flatMap((note) => (note.exitMs === undefined ? [] : [[note.pid, note]])),
    );
    const killed = new Set(notes().flatMap(({ pid, isKilled }) => (isKilled ? [pid] : [])));
    const problems: string[] = [];
    for (const { pid, afterMs } of sent()) {
      const exit = exits.get(pid);
      if (exit === undefined && killed.has(pid)) continue;
      if (exit === undefined) problems.push(`no exit after SIGINT at ${afterMs} ms`);
      else if (exit.exitMs! > MAX_EXIT_MS)
        problems.push(`${exit.exitMs} ms to the exit after SIGINT at ${afterMs} ms`);
      else if (FAULTS.has(exit.code!))
        problems.push(`exit code ${exit.code} after SIGINT at ${afterMs} ms`);
    }
    const slowestExitMs = Math.max(0, ...[...exits.values()].map(({ exitMs }) => exitMs!));
    if (sent().length === 0) problems.push("no crawl was stopped");
    return {
      figures: { [`${attack.row} stops`]: { stops: sent().length, slowestExitMs } },
      problems,
    };
  } finally {
    delete process.env[STOP_NOTES];
    rmSync(folder, { recursive: true, force: true });
  }
}
