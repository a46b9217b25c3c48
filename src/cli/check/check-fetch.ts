import { defaultUserAgent } from "../../config/user-agent.ts";
import { EXIT, OrbweaverError } from "../../errors.ts";
import { decodeBody } from "../../fetch/coding/decode.ts";
import type { PoliteClient } from "../../fetch/polite-client.ts";
import { Host } from "../../frontier/host.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import type { Io } from "../io.ts";
import type { CheckInput } from "./check-input.ts";
import { withOneOffClient } from "./one-off-client.ts";

const MAX_REDIRECTS = 10;
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_RATIO = 200;

/** Fetches the one document that a user asks about, redirects included, as the crawler would ask for it. */
export function fetchDocument(start: CrawlUrl, io: Io): Promise<CheckInput> {
  return withOneOffClient(start, io, (client) => follow(client, start));
}

async function follow(client: PoliteClient, start: CrawlUrl): Promise<CheckInput> {
  const headers: [string, string][] = [
    ["User-Agent", defaultUserAgent(undefined)],
    ["Accept-Encoding", "gzip, deflate, br"],
  ];
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const host = new Host(hostnameOf(url), 0, 0);
    const asked = await client.ask(url, host, { headers, maxBodyBytes: MAX_BYTES });
    if (asked.kind === "postponed") throw unread(url, "the host asks to wait");
    if (asked.kind !== "response") throw unread(url, asked.error);
    const { head, body } = asked.response;
    const location = head.location;
    if (head.status >= 300 && head.status < 400 && location !== undefined) {
      const next = canonicalize(location, url);
      if (next === undefined) throw unread(url, "bad_redirect");
      url = next;
      continue;
    }
    if (head.status < 200 || head.status > 299) throw unread(url, `status ${head.status}`);
    const coding = head.all("content-encoding").join(", ");
    const caps = { maxBytes: MAX_BYTES, maxRatio: MAX_RATIO };
    const { bytes } = await decodeBody(body, coding === "" ? undefined : coding, caps);
    return { url, body: bytes, contentType: head.get("content-type") };
  }
  throw unread(start, "too_many_redirects");
}

function unread(url: CrawlUrl, why: string): OrbweaverError {
  return new OrbweaverError("OW_NOT_FETCHED", `${url} cannot be read (${why})`, EXIT.fault);
}
