import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { configOf } from "../../../src/config/crawl-config.ts";
import type { CrawlConfig } from "../../../src/config/schema.ts";

export const HOSTS = ["a.test", "b.test", "c.test", "d.test"] as const;
/** Pages of each host beside its start page. */
export const PAGES = 12;

/** A request as the server saw it. */
export interface Asked {
  readonly host: string;
  readonly path: string;
  readonly startMs: number;
  endMs: number;
}

/** Some hosts on one server. The start page of a host links to all of its pages, and that of a.test to b.test. */
export interface SteeredWeb {
  readonly asked: Asked[];
  readonly port: number;
  /** Pages of hosts other than start pages are not answered until `letGo`. */
  hold(): void;
  letGo(): void;
  /** Settles when so many requests wait to be let go. */
  untilHeld(count: number): Promise<void>;
  /** Requests that wait to be let go. */
  readonly held: number;
  /** Pages asked of a host. */
  pagesOf(host: string): string[];
}

/** Starts the hosts; `robots` is the robots.txt of all. */
export async function steeredWeb(t: TestContext, robots = ""): Promise<SteeredWeb> {
  const asked: Asked[] = [];
  let held: (() => void)[] | undefined;
  let waiting: { count: number; resolve: () => void } | undefined;
  const answer = (path: string, response: ServerResponse, one: Asked) => {
    const links = Array.from({ length: PAGES }, (_, i) => `<a href=/${i}>x</a>`);
    const other = one.host.startsWith("a.test") ? '<a href="http://b.test/">b</a>' : "";
    const body = path === "/" ? links.join("") + other : "text";
    response.once("close", () => {
      one.endMs = performance.now();
    });
    const type = path === "/robots.txt" ? "text/plain" : "text/html";
    response.writeHead(200, { "content-type": type });
    response.end(path === "/robots.txt" ? robots : body);
  };
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? "").split(":")[0]!;
    const path = request.url!;
    const one: Asked = { host, path, startMs: performance.now(), endMs: Number.POSITIVE_INFINITY };
    asked.push(one);
    if (held === undefined || path === "/" || path === "/robots.txt") {
      answer(path, response, one);
      return;
    }
    held.push(() => answer(path, response, one));
    if (waiting !== undefined && held.length >= waiting.count) waiting.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  return {
    asked,
    port: (server.address() as AddressInfo).port,
    hold: () => {
      held ??= [];
    },
    letGo: () => {
      const all = held ?? [];
      held = undefined;
      for (const one of all) one();
    },
    untilHeld: (count) =>
      new Promise((resolve) => {
        waiting = { count, resolve };
        if ((held?.length ?? 0) >= count) resolve();
      }),
    get held() {
      return held?.length ?? 0;
    },
    pagesOf: (host) =>
      asked
        .filter((one) => one.host === host && one.path !== "/robots.txt")
        .map(({ path }) => path),
  };
}

/** The configuration of a crawl of a.test and b.test; the other hosts are known by name only. */
export function steeredConfig(port: number, more: Record<string, unknown> = {}): CrawlConfig {
  return configOf({
    seeds: ["http://a.test/", "http://b.test/"],
    resolve: HOSTS.map((host) => `${host}:127.0.0.1:${port}`),
    allowPrivate: [...HOSTS],
    delayMs: 0,
    retries: 0,
    robots: false,
    ...more,
  });
}
