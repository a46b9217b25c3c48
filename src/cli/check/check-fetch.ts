import { defaultUserAgent } from "../../config/user-agent.ts";
import { EXIT, OrbweaverError } from "../../errors.ts";
import { decodeBody } from "../../fetch/coding/decode.ts";
import { ROBOTS_MAX_REDIRECTS } from "../../fetch/robots/robots-cache.ts";
import { fileOf } from "../../fetch/robots/robots-fetcher.ts";
import { ROBOTS_MAX_BYTES } from "../../fetch/robots/robots-lines.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { originOf } from "../../url/url-parts.ts";
import type { Io } from "../io.ts";
import type { CheckInput } from "./check-input.ts";
import { fetchOnce } from "./one-off-client.ts";

const MAX_REDIRECTS = 10;
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_RATIO = 200;

/** Fetches the one document that a user asks about, redirects included, as the crawler would ask for it. */
export async function fetchDocument(start: CrawlUrl, io: Io): Promise<CheckInput> {
  const found = await fetchOnce<CheckInput>(start, io, {
    url: start,
    headers: [
      ["User-Agent", defaultUserAgent(undefined)],
      ["Accept-Encoding", "gzip, deflate, br"],
    ],
    maxBodyBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
    async read(asked, url) {
      if (asked.kind === "postponed") throw unread(url, "the host asks to wait");
      if (asked.kind !== "response") throw unread(url, asked.error);
      const { head, body } = asked.response;
      if (head.status >= 300 && head.status < 400 && head.location !== undefined) {
        const next = canonicalize(head.location, url);
        if (next === undefined) throw unread(url, "bad_redirect");
        return { next };
      }
      if (head.status < 200 || head.status > 299) throw unread(url, `status ${head.status}`);
      const coding = head.all("content-encoding").join(", ");
      const caps = { maxBytes: MAX_BYTES, maxRatio: MAX_RATIO };
      const { bytes } = await decodeBody(body, coding === "" ? undefined : coding, caps);
      return { result: { url, body: bytes, contentType: head.get("content-type") } };
    },
  });
  if (found === undefined) throw unread(start, "too_many_redirects");
  return found;
}

function unread(url: CrawlUrl, why: string): OrbweaverError {
  return new OrbweaverError("OW_NOT_FETCHED", `${url} cannot be read (${why})`, EXIT.fault);
}

const NO_RULES = { result: new Uint8Array(0) };

/** Fetches the robots.txt of a URL's origin as the crawler would; a missing one is an empty one. */
export async function fetchRobots(typed: CrawlUrl, io: Io): Promise<Uint8Array> {
  const found = await fetchOnce<Uint8Array>(typed, io, {
    url: canonicalize(`${originOf(typed)}/robots.txt`)!,
    headers: [["User-Agent", defaultUserAgent(undefined)]],
    maxBodyBytes: ROBOTS_MAX_BYTES,
    maxRedirects: ROBOTS_MAX_REDIRECTS,
    async read(asked, url) {
      if (asked.kind === "postponed") return NO_RULES;
      if (asked.kind !== "response") throw unreachable(url, asked.error);
      const file = await fileOf(asked.response);
      if (file.status >= 500) throw unreachable(url, `status ${file.status}`);
      if (file.status >= 200 && file.status < 300) return { result: file.body };
      const next = file.location === undefined ? undefined : canonicalize(file.location, url);
      return next === undefined ? NO_RULES : { next };
    },
  });
  return found ?? NO_RULES.result;
}

function unreachable(url: CrawlUrl, why: string): OrbweaverError {
  return new OrbweaverError(
    "OW_ROBOTS_UNREACHABLE",
    `${url} cannot be read (${why}); the crawler would leave the whole host alone and try again`,
    EXIT.fault,
  );
}
