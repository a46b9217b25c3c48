import type { Connection } from "./connection.ts";

/** Keys of connections that are not reused; at this number all are forgotten. */
const MAX_SURPRISES = 10_000;

/**
 * Idle connections. A new or released connection rests for one whole turn of the event loop, in which the kernel is
 * polled, before anything is sent on it: so a response that was sent before the request, or slipped in behind another
 * one, is noticed and not taken for the answer to the next request.
 */
export class Pool {
  readonly #maxIdle: number;
  readonly #clock: () => number;
  readonly #byKey = new Map<string, Connection[]>();
  /** All idle ones, in the order of release. */
  readonly #idle = new Set<Connection>();
  /** Keys of connections on which a server sent bytes that were not asked for. */
  readonly #surprises = new Set<string>();
  #released: Connection[] = [];
  #polled: Connection[] = [];
  #turning = false;
  #isClosed = false;

  constructor(maxIdle: number, clock: () => number) {
    this.#maxIdle = maxIdle;
    this.#clock = clock;
  }

  has(key: string): boolean {
    return (this.#byKey.get(key)?.length ?? 0) > 0;
  }

  /** The connection that was idle for longest; if it still rests, it sends afterwards. */
  take(key: string): Connection | undefined {
    const connection = this.#byKey.get(key)?.shift();
    if (connection !== undefined) this.#idle.delete(connection);
    return connection;
  }

  /** Keeps the connection from sending for one whole turn of the event loop. */
  rest(connection: Connection): void {
    connection.resting = true;
    this.#released.push(connection);
    if (this.#turning) return;
    this.#turning = true;
    setImmediate(this.#turn);
  }

  /** The connection is free and clean. */
  put(connection: Connection, nowMs: number): void {
    const { key } = connection;
    // A server that sent a response unasked may do so again right after the next request: one request per connection.
    if (this.#isClosed || this.#surprises.has(key)) {
      connection.destroy();
      return;
    }
    connection.idleSinceMs = nowMs;
    this.rest(connection);
    const connections = this.#byKey.get(key);
    if (connections === undefined) this.#byKey.set(key, [connection]);
    else connections.push(connection);
    this.#idle.add(connection);
    if (this.#idle.size > this.#maxIdle) this.#oldest!.destroy();
  }

  get #oldest(): Connection | undefined {
    for (const connection of this.#idle) return connection;
    return undefined;
  }

  // Immediates run after a poll, so connections released before the last turn have seen a whole poll since.
  readonly #turn = (): void => {
    const rested = this.#polled;
    this.#polled = this.#released;
    this.#released = [];
    this.#turning = this.#polled.length > 0;
    if (this.#turning) setImmediate(this.#turn);
    const nowMs = this.#clock();
    for (const connection of rested) {
      // No byte came unasked, so the next response belongs to the next request.
      connection.resting = false;
      connection.send(nowMs);
    }
  };

  /** The server sent bytes that were not asked for: its connections are not reused from now on. */
  surprised({ key }: Connection): void {
    if (this.#surprises.size >= MAX_SURPRISES) this.#surprises.clear();
    this.#surprises.add(key);
  }

  /** The connection may not be used any more. */
  remove(connection: Connection): void {
    const connections = this.#byKey.get(connection.key);
    if (this.#idle.delete(connection)) connections!.splice(connections!.indexOf(connection), 1);
    // One in use leaves its key behind: it nearly always comes back.
    if (connections?.length === 0) this.#byKey.delete(connection.key);
  }

  /** Closes connections that have been idle since before that moment. */
  closeIdleSince(beforeMs: number): void {
    for (const connection of this.#idle) {
      if (connection.idleSinceMs > beforeMs) return;
      connection.destroy();
    }
  }

  /** Keeps no connection from now on. */
  close(): void {
    this.#isClosed = true;
  }
}
