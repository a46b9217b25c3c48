import { OrbweaverError } from "../../errors.ts";
import { checkGraph, type LinkGraph } from "./page-rank.ts";
import { messagesOf, type SampleMessages } from "./sample-messages.ts";

/** An earlier crawl, in the order and on the processors that the next one would use. */
export interface CrawlSample {
  readonly graph: LinkGraph;
  /** Pages, best first: by PageRank as in the paper, or by their OPIC values, the variant it left untested. */
  readonly order: Uint32Array;
  /** The processor that owns a page. */
  readonly processorOf: ArrayLike<number>;
  readonly processors: number;
  /**
   * Which links are buffered messages: those to "foreign" processors (the default; a link to a page of one's own need
   * not be sent), or "all", as the paper's step 5 is printed. On the cnr-2000 graph only the former reproduces its
   * figure 7: with 4 processors and tolerances of 1,000 to 10,000 the error is 0.3-1.9 %, with "all" it is 11-13 %.
   */
  readonly messages?: "all" | "foreign";
}

/** What follows from a tolerance. */
export interface BatchPrediction {
  /** Messages a processor may hold back before all exchange. */
  readonly tolerance: number;
  /** Pages each processor may download between two exchanges. */
  readonly batchSize: number;
  /** Average share of pages, per superstep, that were taken while messages about them were still under way. */
  readonly error: number;
  readonly supersteps: number;
}

/** Runs the sample through the simulated machine of section 2 (Marin, Paredes, Bonacic 2008) with one tolerance. */
export function predictBatch(sample: CrawlSample, tolerance: number): BatchPrediction {
  return new BatchPredictor(sample).predict(tolerance);
}

/** As `BatchPredictor.find`. */
export function findBatchSize(sample: CrawlSample, maxError: number): BatchPrediction | undefined {
  return new BatchPredictor(sample).find(maxError);
}

/** A sample that is asked about several tolerances: which links are messages is found out once. */
export class BatchPredictor {
  readonly messages: SampleMessages;
  readonly #sample: CrawlSample;

  constructor(sample: CrawlSample) {
    checkSample(sample);
    this.#sample = sample;
    this.messages = messagesOf(sample);
  }

  /** What follows from a tolerance. */
  predict(tolerance: number): BatchPrediction {
    if (!(tolerance >= 0)) {
      throw new OrbweaverError(
        "OW_BAD_COUNT",
        `a tolerance is a number of messages, not ${tolerance}`,
      );
    }
    return this.#simulate(tolerance);
  }

  /**
   * The largest tolerance whose average error stays below `maxError`, by binary search as in the paper. The error grows
   * with the tolerance but not in every step, so this is a largest one of its neighbourhood. Undefined if even tolerance
   * 0, an exchange after every page with a link, errs too much.
   */
  find(maxError: number): BatchPrediction | undefined {
    if (!(maxError > 0 && maxError <= 1)) {
      throw new OrbweaverError(
        "OW_BAD_COUNT",
        `an error is a share above 0 and at most 1, such as 0.05, not ${maxError}`,
      );
    }
    let best: BatchPrediction | undefined;
    let low = 0;
    let high = this.#sample.graph.targets.length;
    while (low <= high) {
      const tolerance = Math.floor((low + high) / 2);
      const prediction = this.#simulate(tolerance);
      if (prediction.error < maxError) {
        best = prediction;
        low = tolerance + 1;
      } else {
        high = tolerance - 1;
      }
    }
    return best;
  }

  #simulate(tolerance: number): BatchPrediction {
    const { graph, order, processorOf, processors } = this.#sample;
    const { ends, targets } = this.messages;
    const downloads = new Uint32Array(processors);
    const buffered = new Uint32Array(processors);
    // The set W, emptied by counting up: a page is in it if it carries the number of the current superstep.
    const announcedIn = new Uint32Array(graph.offsets.length - 1);
    let supersteps = 0;
    let errors = 0;
    let missed = 0;
    let taken = 0;
    let full = false;
    let message = 0;
    for (let place = 0; place < order.length; place++) {
      const page = order[place]!;
      const end = ends[place]!;
      downloads[processorOf[page]!]!++;
      taken++;
      if (announcedIn[page] === supersteps + 1) missed++;
      if (full) {
        errors += missed / taken;
        supersteps++;
        buffered.fill(0);
        missed = 0;
        taken = 0;
        full = false;
      }
      for (; message < end; message++) {
        const link = targets[message]!;
        announcedIn[link] = supersteps + 1;
        if (++buffered[processorOf[link]!]! > tolerance) full = true;
      }
    }
    const most = downloads.reduce((a, b) => Math.max(a, b), 0);
    // No exchange at all: the whole crawl is one batch, and its error is that of the superstep that never ended.
    if (supersteps === 0) {
      return { tolerance, batchSize: most, error: taken === 0 ? 0 : missed / taken, supersteps };
    }
    const batchSize = Math.max(1, Math.floor(most / supersteps));
    return { tolerance, batchSize, error: errors / supersteps, supersteps };
  }
}

/** Checks the sample once: a page without an owner would be counted for nobody. */
function checkSample({ graph, order, processorOf, processors, messages }: CrawlSample): void {
  checkGraph(graph);
  if (messages !== undefined && messages !== "all" && messages !== "foreign") {
    throw new OrbweaverError("OW_BAD_COUNT", `messages are "all" or "foreign", not ${messages}`);
  }
  const pages = graph.offsets.length - 1;
  const bad = (message: string) => new OrbweaverError("OW_BAD_GRAPH", message);
  if (!Number.isSafeInteger(processors) || processors < 1) {
    throw bad(`there is at least one processor, not ${processors}`);
  }
  const wrong = order.find((page) => page >= pages);
  if (wrong !== undefined) throw bad(`page ${wrong} is in the order, of ${pages} pages`);
  for (let page = 0; page < pages; page++) {
    const owner = processorOf[page]!;
    if (Number.isInteger(owner) && owner >= 0 && owner < processors) continue;
    throw bad(`page ${page} belongs to processor ${owner}, of ${processors}`);
  }
}
