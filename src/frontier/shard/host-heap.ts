import type { Host } from "../host.ts";

/** What a heap needs to know of a host, or of a queue of another kind: its time, and its place, -1 outside. */
export type Timed = Pick<Host, "nextMs" | "heapIndex">;

/** Hosts with something to fetch, the one that may be asked first on top. Each host knows its place. */
export class HostHeap<T extends Timed = Host> {
  readonly #hosts: T[] = [];
  /** Hosts in the heap. */
  size = 0;

  /** The host that may be asked first. */
  peek(): T | undefined {
    return this.#hosts[0];
  }

  /** Adds the host, or moves it to where its time now belongs. */
  place(host: T): void {
    const hosts = this.#hosts;
    const { nextMs } = host;
    let at = host.heapIndex < 0 ? this.size++ : host.heapIndex;
    // Up to below the first one that is earlier, then down to above those that are not: one of the two ways is empty.
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      const above = hosts[parent]!;
      if (above.nextMs <= nextMs) break;
      hosts[at] = above;
      above.heapIndex = at;
      at = parent;
    }
    for (let child = 2 * at + 1; child < hosts.length; child = 2 * at + 1) {
      if (child + 1 < hosts.length && hosts[child + 1]!.nextMs < hosts[child]!.nextMs) child++;
      const below = hosts[child]!;
      if (below.nextMs >= nextMs) break;
      hosts[at] = below;
      below.heapIndex = at;
      at = child;
    }
    hosts[at] = host;
    host.heapIndex = at;
  }

  /** Takes the host out, if it is in. */
  remove(host: T): void {
    const at = host.heapIndex;
    if (at < 0) return;
    host.heapIndex = -1;
    const last = this.#hosts.pop()!;
    this.size--;
    if (last === host) return;
    last.heapIndex = at;
    this.place(last);
  }
}
