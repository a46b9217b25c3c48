import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { removeIfThere } from "../files/system-calls.ts";

/** A path of a Unix socket is no longer than this; some systems have room for 104 bytes. */
const MAX_SOCKET_PATH = 100;
/** Exit code of `flock -n` when somebody else has the lock. */
const TAKEN = 1;
/** Neither a child takes longer; one that does says nothing. */
const MAX_MS = 10_000;
/** What the child below says of a socket that is not there. */
const GONE = 3;
/** Asked of a child, because connecting takes a turn of the event loop, which a lock cannot wait for. */
const CONNECT = `require("node:net").connect(process.argv[1]).on("connect", () => process.exit(0)).on("error", (e) => process.exit(e.code === "ENOENT" ? ${GONE} : 1))`;

/**
 * Locks an open file with the `flock` command. The lock belongs to the open file, not to the child: it holds until this
 * process closes it or ends, also by SIGKILL, in all containers. Children do not inherit it, because Node opens files so
 * that they close on exec. "none" where there is no such command, or no such locks on this file system.
 */
export function tryFlock(file: number): "held" | "taken" | "none" {
  const { status } = spawnSync("flock", ["-xn", "3"], {
    stdio: ["ignore", "ignore", "ignore", file],
    timeout: MAX_MS,
  });
  if (status === 0) return "held";
  return status === TAKEN ? "taken" : "none";
}

/** Whether somebody listens on a socket; "missing" when that cannot be said. The system answers for a process that is stopped or busy, too. */
export function answers(socket: string): "yes" | "no" | "missing" {
  if (!existsSync(socket)) return "missing";
  const result = withShortPath(socket, (path) => {
    const { status } = spawnSync(process.execPath, ["-e", CONNECT, path], {
      stdio: "ignore",
      timeout: MAX_MS,
    });
    return status;
  });
  if (result === 0) return "yes";
  return result === undefined || result === null || result === GONE ? "missing" : "no";
}

/** Listens on a socket in place of one that nobody answers on; undefined where that is not possible. */
export function listenOn(socket: string): Server | undefined {
  try {
    removeIfThere(socket);
  } catch {
    return undefined;
  }
  return withShortPath(socket, (path) => {
    const server = createServer((peer) => peer.destroy());
    server.on("error", () => {});
    // The socket is bound before this returns.
    server.listen(path);
    server.unref();
    return server.listening && existsSync(socket) ? server : undefined;
  });
}

/** Calls `use` with a path that is short enough for a socket; undefined where there is none. */
function withShortPath<T>(socket: string, use: (path: string) => T): T | undefined {
  if (Buffer.byteLength(socket) <= MAX_SOCKET_PATH) return use(socket);
  if (!existsSync("/proc/self/fd")) return undefined;
  const folder = openSync(dirname(socket), "r");
  try {
    return use(join(`/proc/${process.pid}/fd/${folder}`, socket.slice(dirname(socket).length + 1)));
  } finally {
    closeSync(folder);
  }
}
