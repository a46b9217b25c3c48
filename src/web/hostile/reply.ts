import type { Socket } from "node:net";
import type { Serve, Visit } from "./case.ts";

/** Header lines by name. */
export type Headers = Readonly<Record<string, string | number>>;

const HTML = "text/html; charset=utf-8";

/** A status line and header lines, blank line included. */
export function headOf(status: number | string, headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const line = typeof status === "number" ? `${status} ${status < 300 ? "OK" : "No"}` : status;
  return `HTTP/1.1 ${line}\r\n${lines.join("")}\r\n`;
}

/** A well-formed answer on a connection that stays open. */
export function respond(
  { socket }: Visit,
  status: number,
  headers: Headers,
  body: string | Buffer = "",
): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  socket.write(headOf(status, { ...headers, "Content-Length": bytes.length }));
  if (bytes.length > 0) socket.write(bytes);
}

/** An HTML page; its title is the requested path, so that a wrong attribution shows. */
export function page(body = "", headers: Headers = {}): Serve {
  return (visit) => {
    const title = visit.path.replace(/[<&]/g, "");
    const text = `<!doctype html><title>${title}</title>${body}`;
    respond(visit, 200, { "Content-Type": HTML, ...headers }, text);
  };
}

/** An HTML page of exactly these bytes. */
export function bytes(body: string | Buffer | (() => Buffer), headers: Headers = {}): Serve {
  return (visit) => {
    const made = typeof body === "function" ? body() : body;
    respond(visit, 200, { "Content-Type": HTML, ...headers }, made);
  };
}

/** A page of links. */
export function links(urls: readonly string[]): Serve {
  return page(urls.map((url) => `<a href="${url.replaceAll('"', "&quot;")}">x</a>`).join("\n"));
}

/** A redirect; the Location is written as it is. */
export function redirect(location: string | ((visit: Visit) => string), status = 302): Serve {
  return (visit) => {
    const to = typeof location === "function" ? location(visit) : location;
    respond(visit, status, { Location: to });
  };
}

/** These bytes and nothing else; the connection stays as it is. */
export function raw(...pieces: readonly (string | Buffer)[]): Serve {
  return ({ socket }) => {
    for (const piece of pieces) socket.write(piece, "latin1");
  };
}

/** These bytes, then the end of the connection. */
export function rawThenEnd(...pieces: readonly (string | Buffer)[]): Serve {
  return (visit) => {
    raw(...pieces)(visit);
    visit.socket.end();
  };
}

/** Writes a piece at intervals until the other side closes. */
export function drip(socket: Socket, everyMs: number, piece: (n: number) => string | Buffer): void {
  let n = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || !socket.writable) clearInterval(timer);
    else socket.write(piece(n++));
  }, everyMs);
  socket.once("close", () => clearInterval(timer));
}

/** Writes as fast as the other side reads, endlessly or `count` pieces. */
export function pour(
  socket: Socket,
  piece: (n: number) => string | Buffer,
  count = Number.POSITIVE_INFINITY,
  then?: () => void,
): void {
  let n = 0;
  const more = (): void => {
    while (!socket.destroyed && socket.writable && n < count) {
      if (!socket.write(piece(n++))) {
        socket.once("drain", more);
        return;
      }
    }
    if (n >= count) then?.();
  };
  more();
}

const waiting: (() => unknown)[] = [];

/** Makes a value on first use, or in `prepare`: bombs take a while to make. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  const get = (): T => {
    made ??= { value: make() };
    return made.value;
  };
  waiting.push(get);
  return get;
}

/** Makes everything that takes long, so that no host delays another one by making it. */
export function prepare(): void {
  for (const make of waiting.splice(0)) make();
}

/** Writes the head of a good answer and hands the socket on. */
export function headThen(headers: Headers, run: (socket: Socket) => void): Serve {
  return ({ socket }) => {
    socket.write(headOf(200, { "Content-Type": "text/html", ...headers }));
    run(socket);
  };
}

/** A body without a length that is made piece by piece, and the end of the connection. */
export function stream(type: string, piece: (n: number) => string | Buffer, count: number): Serve {
  return headThen({ "Content-Type": type, Connection: "close" }, (socket) =>
    pour(socket, piece, count, () => socket.end()),
  );
}
