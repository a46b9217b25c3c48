import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { wordsOfAllThreads } from "./all-threads.ts";
import { laterCallsToo } from "./later-calls.ts";

/*
 * Loaded before anything else in every thread (NODE_OPTIONS): the process kills itself (`kill -9`) at one call, which
 * ORBWEAVER_STRIKE names. Calls of all threads are counted together.
 */

/** A call at which a process dies. */
export interface Strike {
  readonly call: "write" | "sync" | "create" | "rename" | "unlink" | "truncate" | "receive";
  /** What the path of the file must match; of a rename the old one. */
  readonly path: string;
  /** The first matching call is number 1. */
  readonly nth: number;
  /** "half" of a write reaches the file. */
  readonly when: "before" | "half" | "after";
}

const text = process.env.ORBWEAVER_STRIKE;
if (text !== undefined) strikeAt(JSON.parse(text) as Strike);

function strikeAt({ call, path: pattern, nth, when }: Strike): void {
  const calls = wordsOfAllThreads("orbweaver-strike", 1);
  const wanted = new RegExp(pattern);
  const real = { ...fs };
  const paths = new Map<number, string>();
  const die = () => process.kill(process.pid, "SIGKILL");
  const isTime = (kind: Strike["call"], path: string) =>
    kind === call && wanted.test(path) && Atomics.add(calls, 0, 1) + 1 === nth;
  /** Runs a call; dies before or behind it when it is the one. */
  const around = <T>(kind: Strike["call"], path: string, run: () => T, half?: () => void): T => {
    const struck = isTime(kind, path);
    if (struck && when === "half") half?.();
    if (struck && when !== "after") die();
    const result = run();
    if (struck) die();
    return result;
  };
  fs.openSync = (path, flags, mode) => {
    const isNew = !real.existsSync(path);
    const open = () => real.openSync(path, flags, mode);
    const file = isNew ? around("create", String(path), open) : open();
    paths.set(file, String(path));
    return file;
  };
  fs.writeSync = ((file: number, bytes: Uint8Array, from: number = 0, ...more: never[]) =>
    around(
      "write",
      paths.get(file) ?? "",
      () => real.writeSync(file, bytes, from, ...more),
      () => real.writeSync(file, bytes, from, (bytes.length - from) >> 1),
    )) as typeof fs.writeSync;
  fs.fsyncSync = (file) => around("sync", paths.get(file) ?? "", () => real.fsyncSync(file));
  fs.ftruncateSync = (file, size) =>
    around("truncate", paths.get(file) ?? "", () => real.ftruncateSync(file, size));
  fs.truncateSync = (path, size) =>
    around("truncate", String(path), () => real.truncateSync(path, size));
  fs.renameSync = (path, to) => around("rename", String(path), () => real.renameSync(path, to));
  fs.unlinkSync = (path) => around("unlink", String(path), () => real.unlinkSync(path));
  fs.closeSync = (file) => {
    paths.delete(file);
    real.closeSync(file);
  };
  laterCallsToo();
  syncBuiltinESMExports();
  const connect = net.connect as (options: net.NetConnectOpts) => net.Socket;
  net.connect = ((options: net.TcpNetConnectOpts) => {
    const { onread } = options;
    if (onread === undefined) return connect(options);
    // The wire has consumed the bytes when its callback returns; the visit that waits for the page has not run yet.
    const callback: typeof onread.callback = (length, buffer) =>
      around("receive", "", () => onread.callback(length, buffer));
    return connect({ ...options, onread: { ...onread, callback } });
  }) as typeof net.connect;
}
