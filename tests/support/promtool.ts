import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

/** A sentence for the test runner where there is no promtool, else false. */
export const SKIP_WITHOUT_PROMTOOL =
  spawnSync("promtool", ["--version"]).status === 0
    ? false
    : "there is no promtool here (Debian's package prometheus)";

/** Fails when promtool finds anything wrong with metrics, style included. Does nothing where there is no promtool. */
export function checkMetrics(text: string): void {
  if (SKIP_WITHOUT_PROMTOOL) return;
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text });
  assert.deepEqual([status, `${stdout}${stderr}`], [0, ""]);
}
