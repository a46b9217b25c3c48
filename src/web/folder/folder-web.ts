import { gzipSync } from "node:zlib";
import type { Latency } from "../profile.ts";
import { mixText } from "../seeded-random.ts";
import { ByteCache } from "../serving/byte-cache.ts";
import type { Answer, ServedCounts, WebContent, WebRequest, WebTruth } from "../serving/content.ts";
import { headText, plainResponse } from "../serving/http-head.ts";
import { latencyOf } from "../synthetic/page-size.ts";
import type { FolderFiles } from "./folder-files.ts";
import { folderTruth } from "./folder-truth.ts";
import { contentType, isCompressible } from "./mime.ts";
import { hostOfPath, rewriteLinks } from "./spread.ts";

const CACHE_BYTES = 256 * 1024 * 1024;

/** How a folder is served. */
export interface FolderOptions {
  authorities: readonly string[];
  /** Whether each path belongs to one of the hosts; else there is one host. */
  spread: boolean;
  /** Path of the page a crawl starts from. */
  startPath: string;
  latencyMs: Latency | 0;
}

/** A cached response: head and body in one piece, and what conditional requests are compared with. */
interface Kept {
  bytes: Buffer;
  headBytes: number;
  etag: string;
  modifiedMs: number;
}

/**
 * A real folder as a web. Every page has exactly one URL: `/x/` redirects to `/x/index.html` and `/x` to
 * `/x/`, so that a site which links to a page in several forms is still fetched once per page. The folder
 * is read when a file is first asked for; later changes are not seen while the file is cached.
 */
export class FolderContent implements WebContent {
  readonly #files: FolderFiles;
  readonly #options: FolderOptions;
  readonly #hosts: readonly string[];
  readonly #startPath: string;
  readonly #kept = new ByteCache<string, Kept>(CACHE_BYTES, (kept) => kept.bytes.length);
  /** Path and query of what was answered with 200, and whether that happened more than once. */
  readonly #served = new Map<string, boolean>();
  #repeated = 0;
  #answers = 0;

  constructor(files: FolderFiles, options: FolderOptions) {
    this.#files = files;
    this.#options = options;
    this.#hosts = options.authorities;
    this.#startPath = options.startPath;
  }

  keep(): void {} // every answer has its own memory

  latencyMs(request: WebRequest): number {
    return latencyOf(this.#options.latencyMs, 1, mixText(request.target));
  }

  crawlDelayMs(): number {
    return 0;
  }

  start(): string[] {
    return [this.#url(this.#startPath)];
  }

  truth(): WebTruth {
    return {
      start: this.start(),
      hosts: [...this.#hosts],
      pages: this.#files.countPages(),
      refusedByRobots: 0,
      failing: 0,
      ...folderTruth(this.#files, this.#startPath),
    };
  }

  served(): ServedCounts {
    return {
      ...{ pages: this.#served.size, repeated: this.#repeated, answers: this.#answers },
      robotsViolations: 0,
    };
  }

  answer(request: WebRequest): Answer {
    const { target, host, headOnly } = request;
    const queryAt = target.indexOf("?");
    const path = queryAt < 0 ? target : target.slice(0, queryAt);
    const isRobots = path === "/robots.txt";
    // robots.txt belongs to every host; everything else has one owner.
    if (!isRobots && this.#options.spread && hostOfPath(path, this.#hosts.length) !== host) {
      return this.#redirect(path, target.slice(path.length), headOnly);
    }
    if (path.endsWith("/")) {
      return this.#redirect(`${path}index.html`, target.slice(path.length), headOnly);
    }
    const gzip = request.acceptsGzip && isCompressible(contentType(path));
    const kept = this.#response(path, gzip);
    if (typeof kept === "string") return this.#redirect(kept, target.slice(path.length), headOnly);
    if (kept === undefined) {
      return { kind: "bytes", bytes: plainResponse(404, "There is no such file.\n", headOnly) };
    }
    if (isUnchanged(kept, request)) {
      const head = `${headText(304, { ETag: kept.etag, Vary: "Accept-Encoding" })}\r\n`;
      return { kind: "bytes", bytes: Buffer.from(head, "latin1") };
    }
    if (!headOnly && !isRobots) this.#count(target);
    return { kind: "bytes", bytes: headOnly ? kept.bytes.subarray(0, kept.headBytes) : kept.bytes };
  }

  /** The whole response for a file, from memory where possible, or the path to redirect to. */
  #response(path: string, gzip: boolean): Kept | string | undefined {
    const key = gzip ? `z${path}` : path;
    const before = this.#kept.get(key);
    if (before) return before;
    const found = this.#files.find(path);
    if (!found) return undefined;
    if (found.kind !== "file") return found.kind === "folder" ? `${path}/` : found.path;
    const type = contentType(path);
    let body = found.bytes;
    if (this.#options.spread && type.includes("html")) {
      const html = rewriteLinks(body.toString("latin1"), this.#url(path), this.#hosts);
      body = Buffer.from(html, "latin1");
    }
    const mark = `${body.length.toString(16)}-${Math.floor(found.modifiedMs).toString(16)}`;
    const etag = gzip ? `"${mark}-gz"` : `"${mark}"`;
    // Level 1: the web must stay cheaper than the crawler it feeds.
    if (gzip) body = gzipSync(body, { level: 1 });
    const head = `${headText(200, {
      "Content-Type": type,
      ...(gzip && { "Content-Encoding": "gzip" }),
      ...(isCompressible(type) && { Vary: "Accept-Encoding" }),
      "Last-Modified": new Date(found.modifiedMs).toUTCString(),
      ETag: etag,
      "Content-Length": body.length,
    })}\r\n`;
    const bytes = Buffer.concat([Buffer.from(head, "latin1"), body]);
    const kept = { bytes, headBytes: head.length, etag, modifiedMs: found.modifiedMs };
    this.#kept.set(key, kept);
    return kept;
  }

  #redirect(path: string, query: string, headOnly: boolean): Answer {
    const url = this.#url(path) + query;
    const bytes = plainResponse(301, `Moved to ${url}\n`, headOnly, { Location: url });
    return { kind: "bytes", bytes };
  }

  #url(path: string): string {
    const owner = this.#options.spread ? hostOfPath(path, this.#hosts.length) : 0;
    return `http://${this.#hosts[owner]}${path}`;
  }

  #count(target: string): void {
    this.#answers++;
    const again = this.#served.get(target);
    if (again === undefined) this.#served.set(target, false);
    else if (!again) {
      this.#served.set(target, true);
      this.#repeated++;
    }
  }
}

/** Whether a conditional request already has the current version (RFC 9110, 13.1: the tag decides, else the date). */
function isUnchanged(kept: Kept, request: WebRequest): boolean {
  if (request.ifNoneMatch !== "") {
    const tags = request.ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    return tags.includes("*") || tags.includes(kept.etag);
  }
  const sinceMs = Date.parse(request.ifModifiedSince);
  return Math.floor(kept.modifiedMs / 1000) * 1000 <= sinceMs;
}
