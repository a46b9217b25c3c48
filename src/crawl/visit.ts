import type { Capture, FetchOutcome } from "../fetch/outcome.ts";
import type { Discovery, Lease } from "../frontier/frontier.ts";
import type { ReadPage } from "./read-page.ts";

/** Where a response leads. */
export interface Next {
  /** To be visited: a redirect's target, or the page's links that are in scope. */
  readonly found: readonly Discovery[];
  /** Set for redirects: where it points, or why that is no good. */
  readonly redirect: { readonly location: string } | { readonly error: string } | undefined;
}

/** What a visit needs: each stage is a function, so that the whole way of a URL can be read below. */
export interface Stages {
  /** Robots, name, address, gate, wire. */
  fetch(lease: Lease): Promise<FetchOutcome>;
  /** The URL goes back to its queue: politeness, or another try later. False when its tries are used up. */
  tryLater(lease: Lease, outcome: FetchOutcome): boolean;
  /** The request is over: the host's delay starts. */
  requestEnded(lease: Lease): void;
  /** Decodes and parses what came, if it is a page. */
  read(lease: Lease, capture: Capture): Promise<ReadPage>;
  /** Decides what to visit next and reports what is not. */
  follow(lease: Lease, capture: Capture, page: ReadPage): Next;
  /** Hands the record to a builder; settles when it is stored. */
  store(lease: Lease, capture: Capture, page: ReadPage, next: Next): Promise<void>;
  /** Logs a URL that leaves no record in the archive; settles when that is stored. */
  log(lease: Lease, outcome: FetchOutcome): Promise<void>;
  /** Children first, then the parent is released. */
  commit(lease: Lease, found: readonly Discovery[], page: boolean): void;
}

/**
 * The life of one URL, from lease to commit. `landed` is called as soon as its place in flight is free for the next
 * one: the record is still on its way to the disk then.
 */
export async function visit(lease: Lease, stages: Stages, landed: () => void): Promise<void> {
  const outcome = await stages.fetch(lease);
  if (stages.tryLater(lease, outcome)) return landed();
  stages.requestEnded(lease);
  if (outcome.kind !== "response") {
    const logged = stages.log(lease, outcome);
    landed();
    await logged;
    return stages.commit(lease, [], false);
  }
  const page = await stages.read(lease, outcome.capture);
  const next = stages.follow(lease, outcome.capture, page);
  const stored = stages.store(lease, outcome.capture, page, next);
  landed();
  await stored;
  stages.commit(lease, next.found, page.isPage);
}
