import { UsageError } from "../errors.ts";
import { PROFILES, type ProfileName, type WebProfile } from "./profile.ts";
import { type RunningWeb, startWeb, type WebOptions } from "./server.ts";

/** Options of `orbweaver web`, as the command line gives them. */
export interface WebCommandOptions {
  profile?: string;
  seed?: number;
  hosts?: number;
  pages?: number;
  /** Hosts are names instead of addresses. */
  names?: boolean;
  errorRate?: number;
  robots?: WebProfile["robots"];
  latencyMs?: number;
  delayMs?: number;
  dir?: string;
  startPath?: string;
  spread?: number;
  graph?: string;
  port?: number;
  address?: string;
}

/** Where a command writes and what ends it. */
export interface CommandIo {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  signal: AbortSignal;
}

/** Help of `orbweaver web`. */
export const webUsage = `orbweaver web: a deterministic web on loopback, to crawl without the internet

  orbweaver web [--profile ${Object.keys(PROFILES).sort().join("|")}] [options]
  orbweaver web --dir FOLDER [--start PATH] [--spread N]
  orbweaver web --graph FILE [--hosts N]

What is served
  --profile NAME    a synthetic web (default: demo); the same name is the same web, byte for byte
  --seed N          another web of the same kind
  --hosts N         so many hosts: 127.0.0.1, 127.0.0.2 and so on
  --pages N         so many pages over all hosts
  --error-rate X    share of pages that are missing, broken, busy once or reset once (0 to 1)
  --robots KIND     none, simple or strict
  --dir FOLDER      a real folder; /x/ leads to /x/index.html
  --start PATH      its start page (default: the index.html nearest to the top)
  --spread N        the folder under N host names, links rewritten to lead across them
  --graph FILE      a link graph in WebGraph's text form, plain or .gz

How it is served
  --names           hosts are names (host0.test) that --resolve leads here, not addresses
  --latency MS      how long each answer is held back
  --delay MS        report requests of a host that come sooner than this after its last response
  --port N          listen here instead of at any free port
  --address ADDR    first loopback address to listen at (default: 127.0.0.1)

One line of JSON tells address, start URLs and what a complete crawl finds; a second one, after
Ctrl-C, what the web saw: requests, pages, repeated pages, requests that came too fast.

Examples
  orbweaver web --profile tiny --port 8080
  orbweaver web --dir public/ --spread 8
`;

/** Serves a web until the signal fires; prints the truth before and the report after. */
export async function runWeb(options: WebCommandOptions, io: CommandIo): Promise<void> {
  const web = await startWeb(webOptions(options));
  try {
    const truth = web.truth();
    const { origin, port, start } = web;
    const resolve = web.resolveArguments();
    io.stdout.write(`${JSON.stringify({ origin, port, start, resolve, truth })}\n`);
    io.stderr.write(explain(web, options));
    await fired(io.signal);
    io.stdout.write(`${JSON.stringify({ report: web.report() })}\n`);
  } finally {
    await web.close();
  }
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Turns what was typed into what the server takes. */
function webOptions(options: WebCommandOptions): WebOptions {
  const { profile: name = "demo", seed, hosts, pages, errorRate, robots, names } = options;
  if (!Object.hasOwn(PROFILES, name)) {
    const known = Object.keys(PROFILES).sort().join(", ");
    throw new UsageError(`there is no profile ${JSON.stringify(name)}; there are ${known}`);
  }
  const profile: WebProfile = {
    ...PROFILES[name as ProfileName],
    ...(seed !== undefined && { seed }),
    ...(hosts !== undefined && { hosts }),
    ...(pages !== undefined && { pages }),
    ...(errorRate !== undefined && { errorRate }),
    ...(robots !== undefined && { robots }),
  };
  const { dir, graph, startPath, spread, latencyMs, delayMs, port, address } = options;
  const synthetic = dir === undefined && graph === undefined;
  const count = hosts ?? (synthetic ? profile.hosts : 1);
  return {
    // A folder or a graph takes on a profile's faults only when one was named.
    ...((synthetic || options.profile !== undefined) && { profile }),
    ...(dir !== undefined && { dir }),
    ...(graph !== undefined && { graph }),
    ...(startPath !== undefined && { startPath }),
    ...(spread !== undefined && { spread }),
    ...(hosts !== undefined && { hosts }),
    ...(names && spread === undefined && { hostNames: count }),
    ...(latencyMs !== undefined && { latencyMs }),
    ...(delayMs !== undefined && { delayMs }),
    ...(port !== undefined && { port }),
    ...(address !== undefined && { address }),
  };
}

const MAX_TYPED_URLS = 8;

/** Says what is there and how to crawl it. */
function explain(web: RunningWeb, options: WebCommandOptions): string {
  const { reachable, missing, redirects, refusedByRobots, failing, hosts } = web.truth();
  const delay = options.delayMs === undefined ? "" : ` --delay ${options.delayMs}`;
  const resolve = web.resolveArguments().join(" ");
  const rest = `--out crawls/web${delay}${resolve && ` ${resolve}`}`;
  // URLs from a file consent to nothing, so loopback has to be allowed by hand.
  const command =
    web.start.length <= MAX_TYPED_URLS
      ? `npx orbweaver crawl ${web.start.map(quoted).join(" ")} ${rest}`
      : `printf '%s\\n' ${web.start.map(quoted).join(" ")} |\n    npx orbweaver crawl --seeds - --allow-private 127.0.0.0/8 ${rest}`;
  return `Serving ${hosts.length === 1 ? "one host" : `${hosts.length} hosts`} at ${web.origin}.
A complete crawl fetches ${reachable} pages; ${missing} are missing, ${failing} fail, ${redirects} redirect and robots.txt refuses ${refusedByRobots}.

  ${command}

Ctrl-C ends it and prints how politely it was crawled.
`;
}

function quoted(url: string): string {
  return /^[\w:/.-]+$/.test(url) ? url : `'${url.replaceAll("'", "'\\''")}'`;
}
