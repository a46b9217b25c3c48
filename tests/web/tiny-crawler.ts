import { Agent, get, type IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";

/** A response as node:http, which shares no code with the web, reads it. */
export interface Got {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** Fetches one URL from a web on this port, whatever host the URL names. */
export function fetchUrl(
  url: string,
  port: number,
  options: { agent?: Agent; headers?: Record<string, string>; method?: string } = {},
): Promise<Got> {
  const { hostname, host, pathname, search } = new URL(url);
  const address = /^127\./.test(hostname) ? hostname : "127.0.0.1";
  return new Promise((resolve, reject) => {
    const request = get(
      {
        host: address,
        port,
        path: pathname + search,
        method: options.method ?? "GET",
        headers: { host, ...options.headers },
        ...(options.agent && { agent: options.agent }),
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode = 0, headers } = response;
          resolve({ status: statusCode, headers, body: Buffer.concat(parts) });
        });
      },
    );
    request.on("error", reject);
  });
}

/** What a crawl found: URLs by outcome. */
export interface Found {
  pages: Map<string, Buffer>;
  missing: Set<string>;
  redirects: Set<string>;
  refused: Set<string>;
  failing: Set<string>;
}

/** Whether robots.txt text, read with the few rules our webs use, lets a path be fetched. */
function allows(robots: string, path: string): boolean {
  let best = { length: -1, allow: true };
  for (const line of robots.split("\n")) {
    const match = /^(Allow|Disallow): (\S+)/.exec(line);
    if (!match) continue;
    const pattern = match[2]!.replace(/[.+?^{}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
    if (match[2]!.length > best.length && new RegExp(`^${pattern}`).test(path)) {
      best = { length: match[2]!.length, allow: match[1] === "Allow" };
    }
  }
  return best.allow;
}

const NO_LINKS = /<!--.*?-->|<(title|script|style)\b.*?<\/\1>/gis;
const LINK = /<(?:a|area)\s[^>]*?href\s*=\s*(?:(["'])(.*?)\1|([^\s"'>]+))/gi;

/** Crawls from the start URLs: links by regular expression, robots.txt, two retries; nothing of the product. */
export async function crawlAll(start: string[], port: number, gzip = false): Promise<Found> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const headers: Record<string, string> = gzip ? { "accept-encoding": "gzip" } : {};
  const found: Found = {
    pages: new Map(),
    missing: new Set(),
    redirects: new Set(),
    refused: new Set(),
    failing: new Set(),
  };
  const hosts = new Set(start.map((url) => new URL(url).host));
  const robots = new Map<string, string>();
  const known = new Set(start.map((url) => new URL(url).href));
  const follow = (link: string, base: string): void => {
    const text = link.replaceAll("&amp;", "&").replaceAll("&#39;", "'");
    const utf8 = Buffer.from(text, "latin1").toString("utf8"); // pages were read byte by byte
    if (!URL.canParse(utf8, base)) return;
    const url = new URL(utf8, base);
    url.hash = "";
    if (url.protocol === "http:" && hosts.has(url.host)) known.add(url.href);
  };
  try {
    for (const url of known) {
      const { origin, pathname, search } = new URL(url);
      if (!robots.has(origin)) {
        const got = await fetchUrl(`${origin}/robots.txt`, port, { agent, headers });
        robots.set(origin, got.status === 200 ? got.body.toString() : "");
      }
      if (!allows(robots.get(origin)!, pathname + search)) {
        found.refused.add(url);
        continue;
      }
      let got: Got | undefined;
      for (let attempt = 0; attempt < 3 && (got?.status ?? 500) >= 500; attempt++) {
        got = await fetchUrl(url, port, { agent, headers }).catch(() => undefined);
      }
      if (!got || got.status >= 500) found.failing.add(url);
      else if (got.status === 404) found.missing.add(url);
      else if (got.status >= 300) {
        found.redirects.add(url);
        follow(got.headers.location!, url);
      } else {
        const body = got.headers["content-encoding"] === "gzip" ? gunzipSync(got.body) : got.body;
        found.pages.set(url, body);
        if (!/html/.test(got.headers["content-type"] ?? "")) continue;
        const html = body.toString("latin1").replace(NO_LINKS, "");
        const base = new URL(/<base href="([^"]*)"/.exec(html)?.[1] ?? "", url).href;
        for (const match of html.matchAll(LINK)) follow(match[2] ?? match[3]!, base);
      }
    }
  } finally {
    agent.destroy();
  }
  return found;
}

/** The counts of a crawl in the words of the web's truth. */
export function countsOf(found: Found): Record<string, number> {
  return {
    reachable: found.pages.size,
    missing: found.missing.size,
    redirects: found.redirects.size,
    refusedByRobots: found.refused.size,
    failing: found.failing.size,
  };
}
