import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { withoutRootDot } from "../../src/url/url-parts.ts";
import { NameServer } from "../../src/web/hostile/name-server.ts";

/** How often the web looks at the clock, to know when it stood still itself. */
const TICK_MS = 2;

/** A request as the server saw it. */
export interface Arrival {
  /** Name of the host, without port and root dot. */
  readonly host: string;
  readonly url: string;
  readonly address: string;
  /** It came between these moments: when this process last looked, and when it noticed the request. */
  readonly earliestMs: number;
  readonly atMs: number;
  /** When the answer ended, as early as it can have. */
  endMs: number;
}

/** Answers a request; `host` is its name without port. */
export type Answer = (request: IncomingMessage, response: ServerResponse, host: string) => void;

/** Servers on addresses of this machine, all at one port, that note when each request came and when its answer ended. */
export class WatchedWeb {
  readonly arrivals: Arrival[] = [];
  readonly port: number;
  readonly #servers: readonly Server[];
  readonly #ticker: NodeJS.Timeout;
  /** The last two looks: a timer runs before the requests that came while the process stood still. */
  #looksMs = [performance.now(), performance.now()] as const;

  private constructor(servers: readonly Server[], port: number, answer: Answer) {
    this.#servers = servers;
    this.port = port;
    for (const server of servers)
      server.on("request", (request, response) => this.#onRequest(request, response, answer));
    this.#ticker = setInterval(() => {
      this.#looksMs = [this.#looksMs[1], performance.now()];
    }, TICK_MS);
  }

  /** Starts a server on each address. */
  static async start(answer: Answer, addresses = ["127.0.0.1"]): Promise<WatchedWeb> {
    const servers: Server[] = [];
    let port = 0;
    for (const address of addresses) {
      const server = createServer({ keepAliveTimeout: 30_000 });
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(port, address, resolve);
      });
      port = (server.address() as AddressInfo).port;
      servers.push(server);
    }
    return new WatchedWeb(servers, port, answer);
  }

  close(): void {
    clearInterval(this.#ticker);
    for (const server of this.#servers) server.close().closeAllConnections();
  }

  /** What was asked of the hosts, in the order of arrival. */
  of(...hosts: string[]): Arrival[] {
    return this.arrivals.filter(({ host }) => hosts.includes(host));
  }

  #onRequest(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
    const host = withoutRootDot((request.headers.host ?? "").split(":")[0]!);
    const arrival = {
      host,
      url: request.url ?? "",
      address: request.socket.localAddress ?? "",
      earliestMs: this.#looksMs[0],
      atMs: performance.now(),
      endMs: Number.POSITIVE_INFINITY,
    };
    this.arrivals.push(arrival);
    const end = response.end.bind(response);
    response.end = ((...args: Parameters<typeof end>) => {
      arrival.endMs = Math.min(arrival.endMs, performance.now());
      return end(...args);
    }) as typeof response.end;
    answer(request, response, host);
  }
}

/** The shortest pause from the end of an answer to the next arrival; what overlaps has a pause below 0. */
export function shortestPauseMs(arrivals: readonly Arrival[]): number {
  let shortest = Number.POSITIVE_INFINITY;
  let endMs = Number.NEGATIVE_INFINITY;
  for (const arrival of arrivals) {
    shortest = Math.min(shortest, arrival.atMs - endMs);
    endMs = arrival.endMs;
  }
  return Math.round(10 * shortest) / 10;
}

/** The shortest time between the starts of two requests, in favour of who asked: this process may have stood still. */
export function shortestGapMs(arrivals: readonly Arrival[]): number {
  const gaps = arrivals.slice(1).map(({ atMs }, i) => atMs - arrivals[i]!.earliestMs);
  return Math.round(10 * Math.min(Number.POSITIVE_INFINITY, ...gaps)) / 10;
}

/** The most requests that came in any window of that length. */
export function mostWithinMs(arrivals: readonly Arrival[], windowMs: number): number {
  let most = 0;
  for (let first = 0, last = 0; last < arrivals.length; last++) {
    while (arrivals[last]!.atMs - arrivals[first]!.earliestMs > windowMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** A page with links. */
export function page(response: ServerResponse, ...links: string[]): void {
  const items = links.map((link) => `<a href="${link}">x</a>`).join("");
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><title>t</title>${items}`);
}

/** Where a name leads. */
export type Records = (name: string) => string[] | "silence";

/** Runs with a name server that gives every name these IPv4 addresses of this machine, and the arguments to use it. */
export async function withNames<T>(
  records: Records,
  run: (args: readonly string[]) => Promise<T>,
): Promise<T> {
  const server = await NameServer.start((name, family) => {
    const found = family === 4 ? records(name) : [];
    return found === "silence" ? found : { records: found };
  });
  try {
    // With a contact the crawler asks name servers; every address it gets is on this machine.
    const contact = ["--contact", "attacks@example.org"];
    return await run([
      ...["--name-server", server.address, "--allow-private", "127.0.0.0/8", ...contact],
    ]);
  } finally {
    await server.close();
  }
}
