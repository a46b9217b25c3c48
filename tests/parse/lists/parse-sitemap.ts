import { constants, gunzipSync } from "node:zlib";
import {
  SITEMAP_MAX_BYTES,
  type Sitemap,
  type SitemapOptions,
  SitemapReader,
} from "../../../src/parse/lists/sitemap-reader.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const MAX_RATIO = 200;
const RATIO_FREE_BYTES = 1024 * 1024;
const DEFLATE_MAX_RATIO = 1032; // no deflate stream can grow more than this
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
const NARROWINGS = 8;

/**
 * Reads a sitemap (XML, index, text) or a feed (RSS, RDF, Atom, CDF), gzipped or not, at once: what `ListReader`, which
 * reads them while they arrive, is compared with.
 */
export function parseSitemap(
  body: Uint8Array,
  url: CrawlUrl,
  options: SitemapOptions = {},
): Sitemap {
  const reader = new SitemapReader(url, options);
  if (!(body[0] === 0x1f && body[1] === 0x8b)) {
    reader.push(body);
    return reader.finish();
  }
  const unzipped = unzip(body, options.maxBytes ?? SITEMAP_MAX_BYTES);
  reader.push(unzipped.bytes);
  return withDamage(reader.finish(), unzipped);
}

function withDamage(sitemap: Sitemap, unzipped: { error?: Unzipped["error"] }): Sitemap {
  // What is inside was refused for its own reason, or the damage is the reason.
  const own = sitemap.error === undefined || sitemap.error === "sitemap_unknown";
  return unzipped.error !== undefined && own ? { ...sitemap, error: unzipped.error } : sitemap;
}

interface Unzipped {
  bytes: Uint8Array;
  error?: "sitemap_bad_gzip" | "sitemap_too_large" | undefined;
}

/** Takes gzip off, bounded in size and growth; of a damaged or too large file the good beginning is kept. */
function unzip(body: Uint8Array, maxBytes: number): Unzipped {
  const cap = Math.min(maxBytes, Math.max(RATIO_FREE_BYTES, body.length * MAX_RATIO));
  const whole = tryUnzip(body, cap, false);
  if (!("error" in whole)) return whole;
  // zlib throws away what it made before the error, so the good part of the input is searched for, with a
  // bounded number of tries: what is lost is less than 1/256 of the file.
  let good: Uint8Array = new Uint8Array(0);
  let low = 0;
  let high = body.length;
  for (let i = 0; i <= NARROWINGS && high - low > 1; i++) {
    const middle = i === 0 ? body.length : (low + high) >>> 1;
    const part = tryUnzip(body.subarray(0, middle), cap, true);
    if ("error" in part) high = middle;
    else {
      good = part.bytes;
      low = middle;
      if (middle === body.length) break;
    }
  }
  return { bytes: good, error: whole.error };
}

function tryUnzip(
  body: Uint8Array,
  cap: number,
  part: boolean,
): { bytes: Uint8Array } | { error: "sitemap_bad_gzip" | "sitemap_too_large" } {
  try {
    const bytes = gunzipSync(body, {
      maxOutputLength: cap,
      chunkSize: chunkBytesFor(body, cap),
      ...(part && { finishFlush: constants.Z_SYNC_FLUSH }),
    });
    return { bytes };
  } catch (fault) {
    const tooLarge = (fault as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return { error: tooLarge ? "sitemap_too_large" : "sitemap_bad_gzip" };
  }
}

/** The length at the end of an honest gzip file lets it be unpacked into one buffer, without joining pieces. */
function chunkBytesFor(body: Uint8Array, cap: number): number {
  const at = body.length - 4;
  const said = at < 14 ? 0 : new DataView(body.buffer, body.byteOffset).getUint32(at, true);
  const most = body.length * DEFLATE_MAX_RATIO;
  const guess = said > 0 && said <= most ? said : Math.min(body.length * 4, MAX_CHUNK_BYTES);
  return Math.max(1024, Math.min(guess, cap) + 1);
}
