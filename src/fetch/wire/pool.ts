import type { Connection } from "./connection.ts";

/**
 * Idle connections. A new or released connection rests for one whole turn of the event loop, in which the kernel is
 * polled, before anything is sent on it: so a response that was sent before the request, or slipped in behind another
 * one, is noticed and not taken for the answer to the next request.
 */
export class Pool {
  readonly #maxIdle: number;
  readonly #byKey = new Map<string, Connection[]>();
  // In the order of release, so that the oldest comes first.
  readonly #idle = new Set<Connection>();
  #released: Connection[] = [];
  #polled: Connection[] = [];
  #turning = false;

  constructor(maxIdle: number) {
    this.#maxIdle = maxIdle;
  }

  get size(): number {
    return this.#idle.size;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** The connection that was idle for longest; if it still rests, it sends afterwards. */
  take(key: string): Connection | undefined {
    const connections = this.#byKey.get(key);
    const connection = connections?.[0];
    if (connection !== undefined) this.remove(connection);
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

  put(connection: Connection, nowMs: number): void {
    connection.idleSinceMs = nowMs;
    this.rest(connection);
    const connections = this.#byKey.get(connection.key);
    if (connections === undefined) this.#byKey.set(connection.key, [connection]);
    else connections.push(connection);
    this.#idle.add(connection);
    if (this.#idle.size > this.#maxIdle) this.#oldest()?.destroy();
  }

  // Immediates run after a poll, so connections released before the last turn have seen a whole poll since.
  readonly #turn = (): void => {
    const rested = this.#polled;
    this.#polled = this.#released;
    this.#released = [];
    this.#turning = this.#polled.length > 0;
    if (this.#turning) setImmediate(this.#turn);
    for (const connection of rested) connection.rested();
  };

  #oldest(): Connection | undefined {
    for (const connection of this.#idle) return connection;
    return undefined;
  }

  remove(connection: Connection): void {
    if (!this.#idle.delete(connection)) return;
    const connections = this.#byKey.get(connection.key)!;
    if (connections.length === 1) this.#byKey.delete(connection.key);
    else connections.splice(connections.indexOf(connection), 1);
  }

  /** Closes connections that have been idle since before that moment. */
  closeIdleSince(beforeMs: number): void {
    for (const connection of this.#idle) {
      if (connection.idleSinceMs > beforeMs) return;
      connection.destroy();
    }
  }
}
