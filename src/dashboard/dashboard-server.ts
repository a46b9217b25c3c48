import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { hostRefusal, originRefusal, type Refusal, tokenRefusal } from "./check-request.ts";
import { type ActionAnswer, act, isAction } from "./controls.ts";
import type { DashboardApi } from "./dashboard-api.ts";
import type { DashboardSource } from "./dashboard-source.ts";
import { EventClients, eventText } from "./event-clients.ts";
import { staticFile } from "./static-files.ts";

const MAX_BODY_BYTES = 256 * 1024;
const MAX_CONNECTIONS = 300;
/** A connection that asks more often is closed: what it asks without reading is held in memory. */
const MAX_REQUESTS = 100;
const PATIENCE_MS = 15_000;
const ACTION = /^\/api\/control\/([a-z-]{1,20})$/;

/** Sent with everything. Nothing but our own files runs or is loaded, and nobody frames the page. */
const HEADERS: OutgoingHttpHeaders = {
  "Content-Security-Policy":
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** What a server serves, and to whom. */
export interface ServerParts {
  readonly source: DashboardSource;
  readonly api: DashboardApi;
  readonly token: string;
  /** It listens on more than this machine's own addresses. */
  readonly isOpen: boolean;
}

/** Serves the page, its data and the metrics. Reading never changes anything; changes need the token and our own origin. */
export class DashboardServer {
  readonly #parts: ServerParts;
  readonly #server: Server;
  readonly #clients = new EventClients();
  readonly #forget: () => void;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#server = createServer({ requestTimeout: PATIENCE_MS, headersTimeout: PATIENCE_MS });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.timeout = 2 * PATIENCE_MS;
    this.#server.maxRequestsPerSocket = MAX_REQUESTS;
    // The last answer has said so: whoever goes on does not listen.
    this.#server.on("dropRequest", (_request, socket) => socket.destroy());
    this.#server.on("request", (request, response) => {
      this.#handle(request, response).catch(() => this.#refuse(response, FAULT));
    });
    this.#forget = parts.source.onFigures(() => {
      if (this.#clients.size > 0) this.#clients.send("status", this.#statusText());
    });
  }

  /** Returns the port. */
  listen(port: number, address: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, address, () =>
        resolve((this.#server.address() as AddressInfo).port),
      );
    });
  }

  /** Tells clients how the crawl ended, and closes. */
  async close(): Promise<void> {
    this.#forget();
    this.#clients.send("status", this.#statusText());
    this.#clients.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    // Whoever does not read now will not read later.
    const timer = setTimeout(() => this.#server.closeAllConnections(), 200);
    await closed;
    clearTimeout(timer);
  }

  #statusText(): string {
    return JSON.stringify(this.#parts.api.status());
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "/" } = request;
    const host = hostRefusal(request, this.#parts.isOpen);
    if (host !== undefined) return this.#refuse(response, host);
    const { path, query } = split(url);
    if (method === "POST") return this.#change(request, response, path, query);
    if (method !== "GET") return this.#refuse(response, { status: 405, message: "GET or POST" });
    if (path === "/healthz") return send(response, 200, "text/plain; charset=utf-8", "ok\n");
    if (path === "/metrics") {
      const type = "text/plain; version=0.0.4; charset=utf-8";
      return send(response, 200, type, this.#parts.api.metrics());
    }
    if (path.startsWith("/api/")) return this.#read(request, response, path, query);
    const file = staticFile(path);
    if (file === undefined) return this.#refuse(response, NOT_FOUND);
    send(response, 200, file.type, file.bytes);
  }

  async #read(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const refusal = tokenRefusal(request, query, this.#parts.token);
    if (refusal !== undefined) return this.#refuse(response, refusal);
    if (path === "/api/events") return this.#listen(response);
    const answer = await this.#parts.api.answer(path, query);
    if (answer === undefined) return this.#refuse(response, NOT_FOUND);
    send(response, 200, JSON_TYPE, answer);
  }

  #listen(response: ServerResponse): void {
    if (this.#clients.isFull) {
      this.#refuse(response, { status: 503, message: "100 clients listen already" });
      return;
    }
    response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" });
    response.write(eventText("status", this.#statusText()));
    this.#clients.add(response);
  }

  async #change(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const refusal = originRefusal(request) ?? tokenRefusal(request, query, this.#parts.token);
    if (refusal !== undefined) return this.#refuse(response, refusal);
    const action = ACTION.exec(path)?.[1];
    if (action === undefined || !isAction(action)) return this.#refuse(response, NOT_FOUND);
    const { controls } = this.#parts.source;
    if (controls === undefined) return this.#refuse(response, NO_CONTROL);
    // A form of another page cannot send this type without being asked first.
    if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
      return this.#refuse(response, { status: 415, message: "send application/json" });
    const body = await bodyOf(request);
    if (body === undefined) {
      response.setHeader("Connection", "close");
      return this.#refuse(response, { status: 413, message: "an object of at most 256 KiB" });
    }
    const { status, body: answer }: ActionAnswer = await act(controls, action, body);
    send(response, status, JSON_TYPE, JSON.stringify(answer));
  }

  #refuse(response: ServerResponse, { status, message }: Refusal): void {
    if (response.headersSent) response.destroy();
    else send(response, status, JSON_TYPE, JSON.stringify({ ok: false, error: message }));
  }
}

const JSON_TYPE = "application/json; charset=utf-8";
const NOT_FOUND: Refusal = { status: 404, message: "there is no such page" };
const FAULT: Refusal = { status: 500, message: "a fault of the dashboard" };
const NO_CONTROL: Refusal = {
  status: 409,
  message: "only the process of a running crawl can change it: start it with --dashboard",
};

function split(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  return { path, query: new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)) };
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.writeHead(status, { ...HEADERS, "Content-Type": type, "Content-Length": bytes.length });
  response.end(bytes);
}

/** The object that a request sends; undefined when it is none, or too long. */
async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
    const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
