import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { emptyBlocks, gzipOfEmptyBlocks } from "../support/costly-deflate.ts";
import { givenOptions, serve } from "./serve.ts";

/** Which file of a host is costly, and how it is coded. */
export interface CostlyOptions {
  readonly addresses: readonly string[];
  readonly file: "page" | "sitemap" | "robots";
  readonly coding: string;
}

const { addresses, file, coding } = givenOptions<CostlyOptions>();
const MIB = 1024 * 1024;
const PAGES = 20;

/** A comment that cannot be compressed; brotli needs a longer one, or the body ends at 200:1 before it costs anything. */
const COMMENT_BYTES = coding === "gzip, br" ? 60_000 : 40_000;

/** Small on the wire: 54 to 68 KB, mostly a comment without which it would grow by more than it may. */
function costlyBody(): Buffer {
  const inner = gzipOfEmptyBlocks(9 * MIB, randomBytes(COMMENT_BYTES));
  if (coding === "gzip, gzip") return gzipSync(inner, { level: 9 });
  if (coding === "gzip, br") {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 };
    return brotliCompressSync(inner, { params });
  }
  // In one layer it is as large as what it costs.
  return coding === "gzip" ? inner : emptyBlocks(9 * MIB);
}

const body = costlyBody();
const links = Array.from({ length: PAGES }, (_, i) => `<a href="/${i}">${i}</a>`).join(" ");

await serve(addresses, (request, response, host) => {
  const { url } = request;
  const isRobots = url === "/robots.txt";
  const isCostly =
    file === "page" ? /^\/\d/.test(url!) : file === "robots" ? isRobots : url!.startsWith("/map");
  if (isCostly) {
    const type =
      file === "page" ? "text/html" : file === "robots" ? "text/plain" : "application/xml";
    response.writeHead(200, {
      "Content-Type": type,
      "Content-Encoding": coding,
      "Content-Length": body.length,
    });
    response.end(body);
  } else if (isRobots) {
    const line = (_: unknown, i: number) => `Sitemap: http://${host}/map${i}.xml`;
    response.end(file === "sitemap" ? Array.from({ length: PAGES }, line).join("\n") : "");
  } else {
    response.setHeader("Content-Type", "text/html");
    response.end(`<title>${host}</title>${links}`);
  }
});
