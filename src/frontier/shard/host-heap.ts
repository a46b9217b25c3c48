import type { Host } from "../host.ts";

/** What a heap needs to know of a host, or of a queue of another kind: its time, and its place, -1 outside. */
export type Timed = Pick<Host, "nextMs" | "heapIndex">;

/** Hosts with something to fetch, the one that may be asked first on top. Each host knows its place. */
export class HostHeap<T extends Timed = Host> {
  readonly #hosts: T[] = [];

  get size(): number {
    return this.#hosts.length;
  }

  /** The host that may be asked first. */
  peek(): T | undefined {
    return this.#hosts[0];
  }

  /** Adds the host, or moves it to where its time now belongs. */
  place(host: T): void {
    if (host.heapIndex < 0) this.#set(this.#hosts.length, host);
    this.#up(host);
    this.#down(host);
  }

  /** Takes the host out, if it is in. */
  remove(host: T): void {
    const at = host.heapIndex;
    if (at < 0) return;
    host.heapIndex = -1;
    const last = this.#hosts.pop()!;
    if (last === host) return;
    this.#set(at, last);
    this.place(last);
  }

  #up(host: T): void {
    let at = host.heapIndex;
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      if (this.#hosts[parent]!.nextMs <= host.nextMs) break;
      this.#set(at, this.#hosts[parent]!);
      at = parent;
    }
    this.#set(at, host);
  }

  #down(host: T): void {
    let at = host.heapIndex;
    for (let child = 2 * at + 1; child < this.#hosts.length; child = 2 * at + 1) {
      const right = this.#hosts[child + 1];
      if (right !== undefined && right.nextMs < this.#hosts[child]!.nextMs) child++;
      if (this.#hosts[child]!.nextMs >= host.nextMs) break;
      this.#set(at, this.#hosts[child]!);
      at = child;
    }
    this.#set(at, host);
  }

  #set(at: number, host: T): void {
    this.#hosts[at] = host;
    host.heapIndex = at;
  }
}
