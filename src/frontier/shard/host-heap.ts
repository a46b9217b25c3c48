import type { Host } from "../host.ts";

/** Hosts with something to fetch, the one that may be asked first on top. Each host knows its place. */
export class HostHeap {
  readonly #hosts: Host[] = [];

  get size(): number {
    return this.#hosts.length;
  }

  /** The host that may be asked first. */
  peek(): Host | undefined {
    return this.#hosts[0];
  }

  /** Adds the host, or moves it to where its time now belongs. */
  place(host: Host): void {
    if (host.heapIndex < 0) {
      host.heapIndex = this.#hosts.length;
      this.#hosts.push(host);
    }
    this.#down(this.#up(host.heapIndex));
  }

  /** Takes the host out, if it is in. */
  remove(host: Host): void {
    const at = host.heapIndex;
    if (at < 0) return;
    host.heapIndex = -1;
    const last = this.#hosts.pop()!;
    if (last === host) return;
    this.#hosts[at] = last;
    last.heapIndex = at;
    this.#down(this.#up(at));
  }

  #up(from: number): number {
    const host = this.#hosts[from]!;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#hosts[parent]!.nextMs <= host.nextMs) break;
      this.#set(at, this.#hosts[parent]!);
      at = parent;
    }
    this.#set(at, host);
    return at;
  }

  #down(from: number): void {
    const host = this.#hosts[from]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#hosts.length) break;
      const right = this.#hosts[child + 1];
      if (right !== undefined && right.nextMs < this.#hosts[child]!.nextMs) child++;
      if (this.#hosts[child]!.nextMs >= host.nextMs) break;
      this.#set(at, this.#hosts[child]!);
      at = child;
    }
    this.#set(at, host);
  }

  #set(at: number, host: Host): void {
    this.#hosts[at] = host;
    host.heapIndex = at;
  }
}
