import { HandlerError } from "../../errors.ts";
import type { Unanswered } from "../../fetch/outcome.ts";
import type { Lease } from "../../frontier/frontier.ts";
import { afterHandler, contextOf, type Handled } from "./handle-page.ts";
import type { ContextRules, HandlerContext } from "./handler-context.ts";
import type { HandlerWatch } from "./handler-watch.ts";
import type { CheckedAnswer, CheckedHandler } from "./load-handler.ts";
import type { PageSource } from "./page-view.ts";
import type { ReadPage, ReadRules } from "./read-page.ts";
import { NOT_WANTED } from "./remote-handler.ts";

/** The most that is told of an error. */
const MAX_DETAIL = 300;
/** How often time-outs are looked at, and the supervisor is told that the thread lives. */
const BEAT_MS = 100;

/** What became of a handler that hung its thread. */
export type Hang =
  /** It may be this one: it runs alone the next time. */
  | "suspected"
  /** It was this one: it is never called again. */
  | "hung";

/** What a runner works with. */
export interface RunnerParts {
  readonly handler: CheckedHandler;
  readonly reading: ReadRules;
  readonly timeoutMs: number;
  readonly watch: HandlerWatch | undefined;
  readonly hangs: readonly (readonly [url: string, hang: Hang])[];
  readonly log: ContextRules["log"];
  readonly clock: () => number;
}

interface Pending {
  readonly deadlineMs: number;
  expire(): void;
}

/**
 * Calls the user's handler for the pages of one thread. A handler that throws or takes too long costs its own page
 * alone; one that never returns costs the thread, which the supervisor replaces.
 */
export class HandlerRunner {
  readonly #parts: RunnerParts;
  readonly #rules: ContextRules;
  readonly #hangs: Map<string, Hang>;
  readonly #pending = new Set<Pending>();
  readonly #beat: NodeJS.Timeout;
  /** Settles when the handler that must run alone has ended. */
  #alone: Promise<unknown> | undefined;
  /** Called when no handler waits any more. */
  #whenStill: (() => void) | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    const { maxLinks } = parts.reading.parse;
    this.#rules = {
      names: new Set(),
      maxLinks: maxLinks ?? Number.POSITIVE_INFINITY,
      log: parts.log,
    };
    this.#hangs = new Map(parts.hangs);
    parts.watch?.clear();
    // It keeps the thread alive only while a handler waits.
    this.#beat = setInterval(() => this.#look(), BEAT_MS);
    this.#beat.unref();
  }

  /** Why the page of a URL is not even fetched; undefined when it may be. */
  before({ url }: Pick<Lease, "url">): Unanswered | undefined {
    return this.#hangs.size > 0 && this.#hangs.get(url) === "hung"
      ? { kind: "failed", error: "handler_hung" }
      : undefined;
  }

  /** Another thread hung in the handlers of these URLs. */
  learn(hangs: RunnerParts["hangs"]): void {
    for (const [url, hang] of hangs) this.#hangs.set(url, hang);
  }

  /** Lets the handler see a page. */
  run(lease: Lease, source: PageSource, page: ReadPage): Handled | Promise<Handled> {
    if (this.#hangs.size > 0 && this.#hangs.has(lease.url))
      return this.#runAlone(lease, source, page);
    if (this.#alone !== undefined) return this.#alone.then(() => this.run(lease, source, page));
    return this.#run(lease, source, page);
  }

  close(): void {
    clearInterval(this.#beat);
  }

  async #runAlone(lease: Lease, source: PageSource, page: ReadPage): Promise<Handled> {
    while (this.#alone !== undefined) await this.#alone;
    let hasEnded = () => {};
    this.#alone = new Promise<void>((resolve) => {
      hasEnded = resolve;
    });
    try {
      if (this.#pending.size > 0)
        await new Promise<void>((resolve) => {
          this.#whenStill = resolve;
        });
      // What was read is not there any more: the body is decoded again if it is asked for.
      return await this.#run(lease, source, { ...page, decoded: undefined });
    } finally {
      this.#alone = undefined;
      hasEnded();
    }
  }

  #run(lease: Lease, source: PageSource, page: ReadPage): Handled | Promise<Handled> {
    const { handler, reading, watch } = this.#parts;
    const context = contextOf(lease, source, page, reading, this.#rules);
    const slot = watch?.begin(lease.url) ?? -1;
    let answer: CheckedAnswer | Promise<CheckedAnswer>;
    try {
      answer = handler(context);
    } catch (error) {
      watch?.end(slot);
      context.close();
      return failed(error);
    }
    if (answer instanceof Promise) {
      watch?.waits(slot);
      context.page.giveBack();
      return this.#wait(lease, page, context, answer).finally(() => watch?.end(slot));
    }
    watch?.end(slot);
    const handled = afterHandler(lease, page, context, answer);
    context.close();
    return handled;
  }

  #wait(
    lease: Lease,
    page: ReadPage,
    context: HandlerContext,
    answer: Promise<CheckedAnswer>,
  ): Promise<Handled> {
    const { clock, timeoutMs } = this.#parts;
    return new Promise((resolve) => {
      const end = (handled: Handled) => {
        context.close();
        this.#pending.delete(pending);
        if (this.#pending.size === 0) {
          this.#beat.unref();
          this.#whenStill?.();
        }
        resolve(handled);
      };
      const pending: Pending = {
        deadlineMs: clock() + timeoutMs,
        expire: () =>
          end({ kind: "failed", error: "handler_timeout", detail: `after ${timeoutMs} ms` }),
      };
      if (this.#pending.size === 0) this.#beat.ref();
      this.#pending.add(pending);
      // After a time-out both are too late, and change nothing.
      answer.then(
        (checked) => end(afterHandler(lease, page, context, checked)),
        (error: unknown) => end(failed(error)),
      );
    });
  }

  #look(): void {
    this.#parts.watch?.beat();
    if (this.#pending.size === 0) return;
    const nowMs = this.#parts.clock();
    for (const pending of this.#pending) if (pending.deadlineMs <= nowMs) pending.expire();
  }
}

function failed(error: unknown): Unanswered {
  if (error instanceof HandlerError && error.code === NOT_WANTED)
    return { kind: "failed", error: "aborted" };
  const text = error instanceof Error ? error.message : String(error);
  return { kind: "failed", error: "handler_failed", detail: text.slice(0, MAX_DETAIL) };
}
