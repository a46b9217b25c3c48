import { createHash } from "node:crypto";

/**
 * What scrapy-redis does, in the same language and with the same client: a set of SHA-1 fingerprints asked with one SADD
 * per link, one ZADD with the whole request for each that is new, and one transaction per request that is taken. A
 * request is as long as the pickle of Scrapy's dictionary for it.
 */
export class OneCallPerUrl {
  #client;
  #seen;
  #queue;

  constructor(client, prefix = "spider") {
    this.#client = client;
    this.#seen = `${prefix}:dupefilter`;
    this.#queue = `${prefix}:requests`;
  }

  /** Adds links, `inFlight` of them at a time; how many were new. */
  async insert(links, inFlight) {
    let next = 0;
    let fresh = 0;
    const worker = async () => {
      while (next < links.length) if (await this.#insertOne(links[next++])) fresh++;
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    return fresh;
  }

  /** Takes `count` requests, `inFlight` at a time; nothing is left to acknowledge. */
  async take(count, inFlight) {
    let left = count;
    let taken = 0;
    const worker = async () => {
      while (left-- > 0) if (await this.#takeOne()) taken++;
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    return taken;
  }

  async #insertOne({ url, parent, depth }) {
    const print = createHash("sha1").update(`GET ${url}`).digest("hex");
    if ((await this.#client.sadd(this.#seen, print)) === 0) return false;
    await this.#client.zadd(this.#queue, depth, requestOf(url, parent, depth));
    return true;
  }

  async #takeOne() {
    const answers = await this.#client
      .multi()
      .zrange(this.#queue, 0, 0)
      .zremrangebyrank(this.#queue, 0, 0)
      .exec();
    return answers[0][1].length === 1;
  }
}

/** A pickle has binary lengths where JSON has punctuation; both come to the same size within a few bytes. */
function requestOf(url, parent, depth) {
  return JSON.stringify({
    url,
    callback: null,
    errback: null,
    method: "GET",
    headers: { Referer: [parent] },
    body: "",
    cookies: {},
    meta: { depth },
    encoding: "utf-8",
    priority: 0,
    dont_filter: false,
    flags: [],
    cb_kwargs: {},
  });
}
