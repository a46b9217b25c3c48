import type { Server, UntypedServiceImplementation } from "@grpc/grpc-js";
import { UsageError } from "../errors.ts";
import type { JournalFiles } from "../frontier/journal/journal-files.ts";
import { monotonicMs } from "../runtime/clock.ts";
import { ChangeLog } from "./change-log.ts";
import { type LoadedGrpc, loadGrpc } from "./load-grpc.ts";
import { putCalls } from "./put-calls.ts";
import { queueCalls } from "./queue-calls.ts";
import type { ServerParts } from "./server-parts.ts";
import { UrlFrontier } from "./url-frontier.ts";

const LEVELS = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"];
/** How long calls that run may take to end when the server is told to. */
const GRACE_MS = 2000;

/** Where a URL frontier listens and where it keeps its URLs. */
export interface FrontierServerOptions {
  readonly dir: string;
  readonly port: number;
  /** 127.0.0.1 unless something else is said. */
  readonly address?: string;
  /** Lines about what it does; which ones, SetLogLevel says. */
  readonly print?: (line: string) => void;
  readonly nowMs?: () => number;
  readonly files?: JournalFiles;
}

/** A server that runs. */
export interface FrontierServer {
  /** `host:port`. */
  readonly address: string;
  readonly port: number;
  /** Fulfilled when it has ended; rejected by what ended it. */
  readonly ended: Promise<void>;
  /** Lets calls that run end, and closes the log. */
  close(): Promise<void>;
}

/** Opens the folder and serves the URLFrontier API. */
export async function serveFrontier(options: FrontierServerOptions): Promise<FrontierServer> {
  const { grpc, service } = await loadGrpc();
  const host = options.address ?? "127.0.0.1";
  const nowMs = options.nowMs ?? steadyWallClock();
  const frontier = new UrlFrontier();
  const log = new ChangeLog(options, frontier);
  frontier.restUntilDelaysEnd(nowMs());
  const server = new grpc.Server();
  let level = LEVELS.indexOf("WARN");
  let address = "";
  let onEnd: (fault?: unknown) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    onEnd = (fault) => (fault === undefined ? resolve() : reject(fault));
  });
  // Whoever closes the server may not care why it ended.
  ended.catch(() => {});
  const parts: ServerParts = {
    frontier,
    log,
    nowMs,
    address: () => address,
    change(change) {
      const removed = frontier.apply(change);
      log.add(change);
      return removed;
    },
    onFault: (fault) => onEnd(fault),
    setLogLevel(name) {
      level = Math.max(0, LEVELS.indexOf(name));
    },
  };
  const isLoud = () => level <= LEVELS.indexOf("DEBUG");
  const calls = { ...putCalls(parts), ...queueCalls(parts) };
  const onCall = (name: string) => {
    if (isLoud()) options.print?.(`${name}\n`);
  };
  server.addService(service, watched(calls, onCall));
  const port = await bind(grpc, server, host, options.port).catch((fault: unknown) => {
    log.close();
    throw fault;
  });
  address = `${host}:${port}`;
  let closing: Promise<void> | undefined;
  return {
    address,
    port,
    ended,
    close() {
      closing ??= shutDown(server).then(() => {
        log.close();
        onEnd();
      });
      return closing;
    },
  };
}

/** The wall time at the start plus what has passed since: setting the system's clock shortens no delay. */
function steadyWallClock(): () => number {
  const offsetMs = Date.now() - monotonicMs();
  return () => offsetMs + monotonicMs();
}

/** The calls, each of which is told of before it runs. */
function watched(
  calls: UntypedServiceImplementation,
  onCall: (name: string) => void,
): UntypedServiceImplementation {
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        onCall(name);
        return (call as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  ) as UntypedServiceImplementation;
}

/** Listens; a port that is taken is a mistake of the caller. */
function bind(
  grpc: LoadedGrpc["grpc"],
  server: Server,
  host: string,
  port: number,
): Promise<number> {
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    server.bindAsync(place, grpc.ServerCredentials.createInsecure(), (fault, bound) => {
      if (fault === null) resolve(bound);
      else reject(new UsageError(`cannot listen on ${place}: ${fault.message}`, fault));
    });
  });
}

function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), GRACE_MS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
