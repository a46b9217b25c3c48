import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { laterCallsToo } from "./later-calls.ts";

/*
 * Loaded before anything else in every thread of a crawl (NODE_OPTIONS): writes down each call that changes the
 * crawl folder, in order, and each moment at which a builder tells a crawler that its pages are durable.
 */

/** One call; `bytes` in base64. */
export type Call =
  | { op: "create"; path: string }
  | { op: "write"; path: string; at: number; bytes: string }
  | { op: "truncate"; path: string; size: number }
  | { op: "sync" | "sync-folder" | "unlink"; path: string }
  | { op: "rename"; path: string; to: string }
  | { op: "told" };

interface Answered {
  readonly stored: SharedArrayBuffer;
}

interface Begin {
  readonly rules?: { readonly build?: object; readonly memory: Answered };
}

const folder = process.env.ORBWEAVER_RECORD_FOLDER;
const trace = process.env.ORBWEAVER_RECORD_TRACE;
if (folder !== undefined && trace !== undefined) record(folder, trace);

function record(inside: string, into: string): void {
  const real = { ...fs };
  const log = real.openSync(into, "a");
  const note = (call: Call) => real.writeSync(log, `${JSON.stringify(call)}\n`);
  const paths = new Map<number, string>();
  const isOurs = (path: unknown): path is string => String(path).startsWith(inside);
  fs.openSync = (path, flags, mode) => {
    const isNew = isOurs(path) && !real.existsSync(path);
    const file = real.openSync(path, flags, mode);
    if (isOurs(path)) paths.set(file, path);
    if (isNew) note({ op: "create", path: path as string });
    return file;
  };
  fs.writeSync = ((file: number, bytes: Uint8Array, from?: number, ...more: never[]) => {
    const path = paths.get(file);
    const at = path === undefined ? 0 : real.fstatSync(file).size;
    const count = real.writeSync(file, bytes, from, ...more);
    if (path !== undefined) {
      const written = Buffer.from(bytes).subarray(from ?? 0, (from ?? 0) + count);
      note({ op: "write", path, at, bytes: written.toString("base64") });
    }
    return count;
  }) as typeof fs.writeSync;
  const synced = (sync: (file: number) => void) => (file: number) => {
    sync(file);
    const path = paths.get(file);
    if (path === undefined) return;
    note({ op: real.fstatSync(file).isDirectory() ? "sync-folder" : "sync", path });
  };
  fs.fsyncSync = synced(real.fsyncSync);
  fs.fdatasyncSync = synced(real.fdatasyncSync);
  fs.ftruncateSync = (file, size) => {
    real.ftruncateSync(file, size);
    const path = paths.get(file);
    if (path !== undefined) note({ op: "truncate", path, size: size ?? 0 });
  };
  fs.closeSync = (file) => {
    paths.delete(file);
    real.closeSync(file);
  };
  fs.renameSync = (path, to) => {
    real.renameSync(path, to);
    if (isOurs(path)) note({ op: "rename", path, to: to as string });
  };
  fs.unlinkSync = (path) => {
    real.unlinkSync(path);
    if (isOurs(path)) note({ op: "unlink", path });
  };
  laterCallsToo();
  syncBuiltinESMExports();
  // A builder answers by adding to the crawlers' counts: what it wrote before is promised from then on.
  const data = workerData as { builder?: number; crawler?: true; memory?: Answered } | null;
  let answered = data?.builder === undefined ? undefined : data.memory;
  if (answered === undefined && data?.crawler !== true && !isMainThread) return;
  // A crawler that stores itself learns of its memory by its first message.
  const on = parentPort?.on.bind(parentPort);
  if (parentPort !== null && on !== undefined)
    parentPort.on = ((event: string, listener: (message: Begin) => void) =>
      on(event, (message: Begin) => {
        if (message?.rules?.build !== undefined) answered = message.rules.memory;
        listener(message);
      })) as typeof parentPort.on;
  // And one in the main thread has the memory that the main thread sends to its crawler.
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message: Begin, ...more: never[]) {
    if (isMainThread && message?.rules !== undefined) answered = message.rules.memory;
    postMessage.call(this, message, ...more);
  };
  const add = Atomics.add as (words: Int32Array, index: number, value: number) => number;
  Atomics.add = ((words: Int32Array, index: number, value: number) => {
    if (answered !== undefined && words.buffer === answered.stored) note({ op: "told" });
    return add(words, index, value);
  }) as typeof Atomics.add;
}
