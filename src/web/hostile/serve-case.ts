import type { Socket } from "node:net";
import type { HostileCase, Serve, Visit } from "./case.ts";
import { respond } from "./reply.ts";
import type { SeenConnection, Witness } from "./witness.ts";

const MAX_HEAD_BYTES = 1024 * 1024;

const notFound: Serve = (visit) =>
  respond(visit, 404, { "Content-Type": "text/plain" }, "nothing here\n");

/** Reads requests from a connection and lets the case answer; requests are counted per path. */
export class CaseServer {
  readonly #case: HostileCase;
  readonly #origin: string;
  readonly #witness: Witness;
  readonly #before = new Map<string, number>();

  constructor(hostile: HostileCase, origin: string, witness: Witness) {
    this.#case = hostile;
    this.#origin = origin;
    this.#witness = witness;
  }

  /** Serves one connection until it ends. */
  serve(socket: Socket, seen: SeenConnection): void {
    let unread = "";
    let onConnection = 0;
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      unread += chunk.toString("latin1");
      for (let end = unread.indexOf("\r\n\r\n"); end >= 0; end = unread.indexOf("\r\n\r\n")) {
        const visit = this.#visit(socket, unread.slice(0, end), onConnection++);
        unread = unread.slice(end + 4);
        this.#witness.asked(seen, visit.path, visit.headers);
        this.#answer(visit);
      }
      if (unread.length > MAX_HEAD_BYTES) socket.destroy();
    });
    this.#case.onConnect?.(socket);
  }

  #visit(socket: Socket, head: string, onConnection: number): Visit {
    const [first = "", ...lines] = head.split("\r\n");
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const path = first.split(" ")[1] ?? "";
    const before = this.#before.get(path) ?? 0;
    if (this.#before.size < 100_000) this.#before.set(path, before + 1);
    return { socket, path, origin: this.#origin, before, onConnection, headers };
  }

  #answer(visit: Visit): void {
    const pages = this.#case.pages ?? {};
    const name = visit.path.split("?", 1)[0]!;
    const own = Object.hasOwn(pages, visit.path) ? pages[visit.path] : undefined;
    const plain = Object.hasOwn(pages, name) ? pages[name] : undefined;
    const rest = name === "/robots.txt" ? undefined : pages["*"];
    (own ?? plain ?? rest ?? notFound)(visit);
  }
}
