import { HandlerError } from "../errors.ts";
import type { PageAnswer, PageContext, PageFunction } from "./page-handler.ts";

/** A handler that calls another one by the label of the page. */
export interface Router {
  (context: PageContext): PageAnswer | Promise<PageAnswer>;
  /** Handles the pages whose URL was enqueued with this label. */
  on(label: string, handler: PageFunction): Router;
  /** Handles all others. */
  otherwise(handler: PageFunction): Router;
  /** As in Crawlee: `on` and `otherwise`. */
  addHandler(label: string, handler: PageFunction): Router;
  addDefaultHandler(handler: PageFunction): Router;
}

/** Makes a router; a page that no handler is for fails. */
export function createRouter(): Router {
  const handlers = new Map<string, PageFunction>();
  let rest: PageFunction | undefined;
  const route = (context: PageContext) => {
    const { label } = context.request;
    const handler = (label === undefined ? undefined : handlers.get(label)) ?? rest;
    if (handler === undefined)
      throw new HandlerError(
        `the router has no handler for ${label === undefined ? "pages without a label" : `the label ${label}`}`,
      );
    return handler(context);
  };
  const on = (label: string, handler: PageFunction) => {
    handlers.set(label, handler);
    return router;
  };
  const otherwise = (handler: PageFunction) => {
    rest = handler;
    return router;
  };
  const router: Router = Object.assign(route, {
    on,
    otherwise,
    addHandler: on,
    addDefaultHandler: otherwise,
  });
  return router;
}
