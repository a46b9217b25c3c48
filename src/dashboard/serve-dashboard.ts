import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join } from "node:path";
import { OrbweaverError, UsageError } from "../errors.ts";
import { parseJson } from "../store/files/jsonl.ts";
import { crawlPaths } from "../store/folder/crawl-folder.ts";
import { DashboardApi } from "./dashboard-api.ts";
import { DashboardServer } from "./dashboard-server.ts";
import type { DashboardSource } from "./dashboard-source.ts";
import type { LogView } from "./log-view.ts";

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;
const MIN_TOKEN_LENGTH = 16;

/** Where a dashboard listens, and for whom. */
export interface ListenRules {
  /** 0: any free port. */
  readonly port: number;
  readonly address: string;
  /** Undefined: a random one. */
  readonly token: string | undefined;
}

/** A dashboard that can be looked at. */
export interface RunningDashboard {
  /** With its token. */
  readonly url: string;
  /** Notes address and token in the folder of the crawl, as soon as that is there. */
  note(): void;
  close(): Promise<void>;
}

/** Refuses an address that others reach when nobody chose a token for it. */
export function checkListen({ address, token }: ListenRules): void {
  if (isIP(address) === 0 && address !== "localhost")
    throw new UsageError(`--listen takes an address of this machine, such as 127.0.0.1 or 0.0.0.0`);
  if (!LOOPBACK.test(address) && token === undefined)
    throw new UsageError(
      `--listen ${address} lets other machines see and steer the crawl: choose a token with --dashboard-token or ORBWEAVER_DASHBOARD_TOKEN, or leave --listen out`,
    );
  if (token !== undefined && (token.length < MIN_TOKEN_LENGTH || !/^[\w.~-]+$/.test(token)))
    throw new UsageError(
      `a dashboard token has at least ${MIN_TOKEN_LENGTH} letters, digits, dots, dashes or underscores`,
    );
}

/** Begins to serve a crawl. */
export async function serveDashboard(
  source: DashboardSource,
  log: LogView,
  rules: ListenRules,
  version: string,
): Promise<RunningDashboard> {
  checkListen(rules);
  const { address } = rules;
  const token = rules.token ?? randomBytes(24).toString("base64url");
  const api = new DashboardApi(source, log, version);
  const isOpen = !LOOPBACK.test(address);
  const server = new DashboardServer({ source, api, token, isOpen });
  const port = await server.listen(rules.port, address).catch((cause: Error) => {
    throw new OrbweaverError(
      "OW_DASHBOARD",
      `the dashboard cannot listen on ${address}, port ${rules.port}: ${cause.message}`,
      2,
      cause,
    );
  });
  const shown = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : address;
  const origin = `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
  const file = noteOf(source.dir);
  let isNoted = false;
  return {
    url: `${origin}/?token=${token}`,
    note: () => {
      if (!existsSync(dirname(file))) return;
      const note = { version: 1, url: origin, token, pid: process.pid };
      // What an earlier process left may be readable by others.
      removeQuietly(file);
      writeFileSync(file, `${JSON.stringify(note)}\n`, { mode: 0o600, flag: "wx" });
      isNoted = true;
    },
    close: async () => {
      if (isNoted) removeQuietly(file);
      await server.close();
    },
  };
}

/** Address and token of the dashboard of the crawl that runs in this folder, if there is one. */
export function runningDashboard(dir: string): string | undefined {
  const file = noteOf(dir);
  if (!existsSync(file)) return undefined;
  const note = parseJson(readFileSync(file, "utf8")) as
    | { url?: unknown; token?: unknown; pid?: unknown }
    | null
    | undefined;
  if (typeof note?.url !== "string" || typeof note.token !== "string") return undefined;
  if (!/^http:\/\/[\w.:[\]-]+$/.test(note.url) || !/^[\w.~-]+$/.test(note.token)) return undefined;
  return isAlive(note.pid) ? `${note.url}/?token=${note.token}` : undefined;
}

function noteOf(dir: string): string {
  return join(dirname(crawlPaths(dir).state), "dashboard.json");
}

function removeQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is not there, or the folder is gone.
  }
}

function isAlive(pid: unknown): boolean {
  try {
    return typeof pid === "number" && process.kill(pid, 0);
  } catch {
    return false;
  }
}
