import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/*
 * Loaded before anything else in every thread of a crawl (NODE_OPTIONS): a disk that takes its time for the archive, so
 * that whatever the machine fetches faster than the builder writes.
 */

/** Per MiB that is written to the archive. */
const PAUSE_MS = Number(process.env.ORBWEAVER_PAUSE_MS ?? 0);
const MIB = 1024 * 1024;

const real = { ...fs };
const isSlow = new Set<number>();
const nobody = new Int32Array(new SharedArrayBuffer(4));
fs.openSync = (path, flags, mode) => {
  const file = real.openSync(path, flags, mode);
  if (String(path).includes("/archive/")) isSlow.add(file);
  else isSlow.delete(file);
  return file;
};
fs.writeSync = ((file: number, bytes: Uint8Array, ...more: never[]) => {
  if (isSlow.has(file)) Atomics.wait(nobody, 0, 0, (PAUSE_MS * bytes.length) / MIB);
  return real.writeSync(file, bytes, ...more);
}) as typeof fs.writeSync;
syncBuiltinESMExports();
