import { UsageError } from "../errors.ts";
import { PROFILES, type ProfileName, type WebProfile } from "./profile.ts";
import { type RunningWeb, startWeb, type WebOptions } from "./server.ts";
import { type CommandIo, serveUntilSignal } from "./serving/until-signal.ts";

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

/** Serves a web until the signal fires; prints the truth before and the report after. */
export async function runWeb(options: WebCommandOptions, io: CommandIo): Promise<void> {
  if (options.profile === "hostile") {
    const { profile: _profile, port, ...others } = options;
    if (Object.keys(others).length > 0) {
      throw new UsageError(
        "the hostile web takes --port and nothing else: its rows are what they are",
      );
    }
    const { runHostileWeb } = await import("./hostile/hostile-command.ts");
    return runHostileWeb(port, io);
  }
  const web = await startWeb(webOptions(options));
  const { origin, port, start } = web;
  const served = {
    ...web,
    announcement: () => ({
      origin,
      port,
      start,
      resolve: web.resolveArguments(),
      truth: web.truth(),
    }),
    explanation: () => explain(web, options),
  };
  return serveUntilSignal(served, io);
}

/** Turns what was typed into what the server takes. */
function webOptions(options: WebCommandOptions): WebOptions {
  const { profile: name = "demo", seed, hosts, pages, errorRate, robots, names } = options;
  if (!Object.hasOwn(PROFILES, name)) {
    const known = [...Object.keys(PROFILES), "hostile"].sort().join(", ");
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

/** Explains what is served and how to crawl it. */
function explain(web: RunningWeb, options: WebCommandOptions): string {
  const { reachable, missing, redirects, refusedByRobots, failing, hosts } = web.truth();
  const delay = options.delayMs === undefined ? "" : ` --delay ${options.delayMs}`;
  const resolve = web.resolveArguments().join(" ");
  const rest = `--out crawls/web${delay}${resolve && ` ${resolve}`}`;
  // Seeds from a file are no consent to private addresses, so loopback has to be allowed explicitly.
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
