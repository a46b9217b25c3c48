/** Pairs that are counted; rare ones make room for new ones. */
const MAX_EDGES = 20_000;
/** Hosts of the graph. */
const MAX_NODES = 24;

/** Hosts, and how many URLs of one were found on pages of another. */
export interface HostGraph {
  readonly hosts: readonly { readonly name: string; readonly pages: number }[];
  readonly links: readonly { readonly from: string; readonly to: string; readonly count: number }[];
}

/** Which hosts lead to which: counts URLs by the host of the page on which they were found first. */
export class HostEdges {
  #counts = new Map<string, number>();

  add(from: string, to: string): void {
    const key = `${from} ${to}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    if (this.#counts.size > MAX_EDGES) this.#makeRoom();
  }

  /** The largest of these hosts and the links between them. */
  graph(pagesOf: ReadonlyMap<string, { readonly done: number }>): HostGraph {
    const hosts = [...pagesOf]
      .map(([name, { done }]) => ({ name, pages: done }))
      .sort((a, b) => b.pages - a.pages)
      .slice(0, MAX_NODES);
    const names = new Set(hosts.map(({ name }) => name));
    const links = [...this.#counts].flatMap(([key, count]) => {
      const [from, to] = key.split(" ") as [string, string];
      return names.has(from) && names.has(to) ? [{ from, to, count }] : [];
    });
    return { hosts, links: links.sort((a, b) => b.count - a.count).slice(0, 200) };
  }

  #makeRoom(): void {
    const sorted = [...this.#counts].sort((a, b) => b[1] - a[1]);
    this.#counts = new Map(sorted.slice(0, MAX_EDGES / 2));
  }
}
