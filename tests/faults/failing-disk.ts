import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { wordsOfAllThreads } from "./all-threads.ts";
import { laterCallsToo } from "./later-calls.ts";

/*
 * Loaded before anything else in every thread of a crawl (NODE_OPTIONS): a disk that takes so many bytes behind the
 * first byte of the archive, refuses so many calls, and works again. ORBWEAVER_DISK says when; the bytes and calls of
 * all threads are counted together.
 */

/** When and how the disk fails. */
export interface FailingDisk {
  /** Files below it are on this disk. */
  readonly folder: string;
  readonly afterBytes: number;
  /** Calls that fail before the disk works again. */
  readonly failures: number;
  readonly code: "ENOSPC" | "EIO" | "EDQUOT";
  /** Whether data, or making it durable, is what fails. */
  readonly call: "write" | "sync";
  /** As a program that leaves torn writes where they are: for a mutant. */
  readonly keepsTorn?: boolean;
}

const text = process.env.ORBWEAVER_DISK;
if (text !== undefined) fail(JSON.parse(text) as FailingDisk);

function fail({ folder, afterBytes, failures, code, call, keepsTorn }: FailingDisk): void {
  const words = wordsOfAllThreads("orbweaver-disk", 3);
  const [BEGUN, BYTES, FAILED] = [0, 1, 2];
  const real = { ...fs };
  const paths = new Map<number, string>();
  const isOurs = (path: unknown): path is string => String(path).startsWith(folder);
  const refuse = (name: string) => {
    throw Object.assign(new Error(`${code}: the disk of the drill, ${name}`), { code });
  };
  /** Whether a call must fail now; counted. */
  const mustFail = () =>
    Atomics.load(words, BYTES) >= afterBytes && Atomics.add(words, FAILED, 1) < failures;
  fs.openSync = (path, flags, mode) => {
    const ours = isOurs(path);
    const creates = ours && call === "write" && !real.existsSync(path);
    if (creates && Atomics.load(words, BEGUN) === 1 && mustFail()) refuse("open");
    const file = real.openSync(path, flags, mode);
    if (ours) paths.set(file, path);
    return file;
  };
  fs.writeSync = ((file: number, bytes: Uint8Array, from: number = 0, ...more: never[]) => {
    const path = paths.get(file);
    if (path?.includes("/archive/")) Atomics.store(words, BEGUN, 1);
    if (path === undefined || Atomics.load(words, BEGUN) === 0)
      return real.writeSync(file, bytes, from, ...more);
    const length = (more[0] as number | undefined) ?? bytes.length - from;
    const before = Atomics.add(words, BYTES, length);
    const room = afterBytes - before;
    if (call === "sync" || room >= length || Atomics.load(words, FAILED) >= failures)
      return real.writeSync(file, bytes, from, ...more);
    // As a disk does: what fits is taken, the next call is refused.
    if (room > 0) return real.writeSync(file, bytes, from, room, ...more.slice(1));
    if (mustFail()) {
      Atomics.sub(words, BYTES, length);
      refuse("write");
    }
    return real.writeSync(file, bytes, from, ...more);
  }) as typeof fs.writeSync;
  fs.fsyncSync = (file) => {
    if (call === "sync" && paths.has(file) && mustFail()) refuse("fsync");
    real.fsyncSync(file);
  };
  if (keepsTorn === true) fs.ftruncateSync = () => {};
  fs.closeSync = (file) => {
    paths.delete(file);
    real.closeSync(file);
  };
  laterCallsToo();
  syncBuiltinESMExports();
}
