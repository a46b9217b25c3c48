import { HandlerError } from "../../errors.ts";
import type { Enqueued, HandlerContext } from "./handler-context.ts";
import type { CheckedAnswer, CheckedHandler } from "./load-handler.ts";

/** A page on its way from a crawler thread to the main thread. */
export interface PageMessage {
  readonly id: number;
  readonly url: string;
  readonly depth: number;
  readonly parent: string | undefined;
  readonly via: string;
  readonly attempt: number;
  readonly note: string | undefined;
  /** The head of the response as it came. */
  readonly head: string;
  /** With its content coding; memory of its own. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly mime: string;
  readonly title: string;
  readonly charset: string;
  readonly links: readonly string[];
}

/** What the main thread made of it. */
export interface PageReply {
  readonly id: number;
  /** What went wrong. */
  readonly fault?: { readonly code: string; readonly message: string } | undefined;
  readonly enqueued?: readonly Enqueued[] | undefined;
  readonly rows?: readonly (readonly [name: string, lines: string[]])[] | undefined;
  readonly skipped?: string | undefined;
  readonly data?: string | undefined;
}

/** Code of a page that nobody wants now: the crawl stops, and it is fetched again by the next run. */
export const NOT_WANTED = "OW_NOT_WANTED";

/** Lets the main thread handle the pages of a crawler thread. */
export class RemoteHandler {
  readonly #send: (page: PageMessage) => void;
  readonly #waiting = new Map<
    number,
    {
      readonly context: HandlerContext;
      readonly resolve: (answer: CheckedAnswer) => void;
      readonly reject: (error: Error) => void;
    }
  >();
  #last = 0;

  constructor(send: (page: PageMessage) => void) {
    this.#send = send;
  }

  readonly handler: CheckedHandler = (context) =>
    new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#waiting.set(id, { context, resolve, reject });
      this.#send(context.messageOf(id));
    });

  /** An answer of the main thread; one about a page that this thread does not have is passed over. */
  take({ id, fault, enqueued, rows, skipped, data }: PageReply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting === undefined) return;
    const { context, resolve, reject } = waiting;
    if (fault !== undefined) {
      reject(new HandlerError(fault.message, fault.code));
      return;
    }
    if (enqueued !== undefined) context.enqueued = [...(context.enqueued ?? []), ...enqueued];
    for (const [name, lines] of rows ?? []) {
      context.rows ??= new Map();
      context.rows.set(name, [...(context.rows.get(name) ?? []), ...lines]);
    }
    if (skipped !== undefined) context.skipped = skipped;
    resolve({ data });
  }
}

/** One handler after the other; what both answer counts, the second one's data first. */
export function inTurn(first: CheckedHandler, second: CheckedHandler): CheckedHandler {
  return async (context) => {
    const before = await first(context);
    if (context.skipped !== undefined) return before;
    const after = await second(context);
    return { links: before.links, data: after.data ?? before.data };
  };
}
