import type { CrawlSample } from "./batch-size.ts";

/** The links of a sample that have to be sent, in the order of its pages. */
export interface SampleMessages {
  /** Messages up to and with the page at this place of the order. */
  readonly ends: Uint32Array;
  readonly targets: Uint32Array;
}

/** Few links leave a processor: who asks about many tolerances need not look at all of them every time. */
export function messagesOf(sample: CrawlSample): SampleMessages {
  const { graph, order, processorOf, messages = "foreign" } = sample;
  const { offsets } = graph;
  const ends = new Uint32Array(order.length);
  const isEvery = messages === "all";
  let count = 0;
  for (let place = 0; place < order.length; place++) {
    const page = order[place]!;
    const own = processorOf[page];
    for (let i = offsets[page]!; i < offsets[page + 1]!; i++)
      if (isEvery || processorOf[graph.targets[i]!] !== own) count++;
    ends[place] = count;
  }
  const targets = new Uint32Array(count);
  let filled = 0;
  for (const page of order) {
    const own = processorOf[page];
    for (let i = offsets[page]!; i < offsets[page + 1]!; i++) {
      const link = graph.targets[i]!;
      if (isEvery || processorOf[link] !== own) targets[filled++] = link;
    }
  }
  return { ends, targets };
}
