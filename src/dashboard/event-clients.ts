import type { ServerResponse } from "node:http";

/** Everybody gets the same text, written once. */
const MAX_CLIENTS = 100;
/** A client that has so much to read is dropped: it would cost memory for as long as it does not. */
const MAX_WAITING_BYTES = 64 * 1024;

/** Clients that listen to server-sent events. */
export class EventClients {
  readonly #clients = new Set<ServerResponse>();

  get size(): number {
    return this.#clients.size;
  }

  get isFull(): boolean {
    return this.#clients.size >= MAX_CLIENTS;
  }

  add(response: ServerResponse): void {
    this.#clients.add(response);
    response.once("close", () => this.#clients.delete(response));
  }

  /** Sends an event to all; those that do not read are dropped. */
  send(event: string, data: string): void {
    const text = eventText(event, data);
    for (const client of this.#clients) {
      if (client.writableLength > MAX_WAITING_BYTES) client.destroy();
      else client.write(text);
    }
  }

  close(): void {
    for (const client of this.#clients) client.end();
  }
}

/** One event. JSON has no line ends, so it is one line. */
export function eventText(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}
