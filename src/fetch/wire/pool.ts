import type { Connection } from "./connection.ts";

/**
 * Idle connections. A new or released connection rests for one whole turn of the event loop, in which the kernel is
 * polled, before anything is sent on it: so a response that was sent before the request, or slipped in behind another
 * one, is noticed and not taken for the answer to the next request.
 */
export class Pool {
  readonly #maxIdle: number;
  readonly #byKey = new Map<string, Connection[]>();
  // All idle ones are a list in the order of release.
  #oldest: Connection | undefined;
  #newest: Connection | undefined;
  #size = 0;
  #released: Connection[] = [];
  #polled: Connection[] = [];
  #turning = false;

  constructor(maxIdle: number) {
    this.#maxIdle = maxIdle;
  }

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return (this.#byKey.get(key)?.length ?? 0) > 0;
  }

  /** The connection that was idle for longest; if it still rests, it sends afterwards. */
  take(key: string): Connection | undefined {
    const connection = this.#byKey.get(key)?.shift();
    if (connection !== undefined) this.#unlink(connection);
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
    this.#link(connection);
    if (this.#size > this.#maxIdle) this.#oldest!.destroy();
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

  #link(connection: Connection): void {
    const newest = this.#newest;
    connection.isIdle = true;
    connection.older = newest;
    if (newest === undefined) this.#oldest = connection;
    else newest.newer = connection;
    this.#newest = connection;
    this.#size++;
  }

  #unlink(connection: Connection): void {
    const { older, newer } = connection;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    connection.older = connection.newer = undefined;
    connection.isIdle = false;
    this.#size--;
  }

  /** The connection may not be used any more. */
  remove(connection: Connection): void {
    const connections = this.#byKey.get(connection.key);
    if (connection.isIdle) {
      connections!.splice(connections!.indexOf(connection), 1);
      this.#unlink(connection);
    }
    // One in use leaves its key behind: it nearly always comes back.
    if (connections?.length === 0) this.#byKey.delete(connection.key);
  }

  /** Closes connections that have been idle since before that moment. */
  closeIdleSince(beforeMs: number): void {
    for (let oldest = this.#oldest; oldest !== undefined; oldest = this.#oldest) {
      if (oldest.idleSinceMs > beforeMs) return;
      oldest.destroy();
    }
  }
}
