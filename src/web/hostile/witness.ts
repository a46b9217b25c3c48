import type { Socket } from "node:net";

/** One connection as the server saw it. */
export interface SeenConnection {
  /** Milliseconds since the web started. */
  readonly openedMs: number;
  closedMs?: number;
  /** Bytes of heads and bodies that were written to the socket. */
  sentBytes: number;
  readonly requests: SeenRequest[];
}

/** One request as the server saw it. */
export interface SeenRequest {
  readonly path: string;
  readonly atMs: number;
  readonly host: string;
  /** Headers that carry credentials, whole lines. */
  readonly secrets: readonly string[];
}

/** What the web saw of its visitors, by host. */
export type WitnessReport = Readonly<Record<string, readonly SeenConnection[]>>;

const SECRETS = ["authorization", "proxy-authorization", "cookie"];
// A trap that works would otherwise fill this process's own memory.
const MAX_REQUESTS = 20_000;

/** Records every connection: where, when, how long, and which requests it carried. */
export class Witness {
  readonly #startMs = performance.now();
  readonly #hosts = new Map<string, SeenConnection[]>();

  /** Records a connection until it closes. */
  connected(host: string, socket: Socket): SeenConnection {
    const seen: SeenConnection = { openedMs: this.#now(), sentBytes: 0, requests: [] };
    const all = this.#hosts.get(host) ?? [];
    all.push(seen);
    this.#hosts.set(host, all);
    const ended = (): void => {
      seen.closedMs ??= this.#now();
      seen.sentBytes = socket.bytesWritten;
    };
    // The other side's end counts: this side may stay open for as long as it likes.
    socket.once("end", ended);
    socket.once("close", ended);
    return seen;
  }

  /** Records a request. */
  asked(seen: SeenConnection, path: string, headers: ReadonlyMap<string, string>): void {
    if (seen.requests.length >= MAX_REQUESTS) return;
    const secrets = SECRETS.filter((name) => headers.has(name));
    seen.requests.push({
      path,
      atMs: this.#now(),
      host: headers.get("host") ?? "",
      secrets: secrets.map((name) => `${name}: ${headers.get(name)}`),
    });
  }

  /** Everything so far, by address. */
  report(): WitnessReport {
    return Object.fromEntries(this.#hosts);
  }

  #now(): number {
    return Math.round(performance.now() - this.#startMs);
  }
}
