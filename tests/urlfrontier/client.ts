import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Client, credentials, makeGenericClientConstructor } from "@grpc/grpc-js";
import { loadGrpc } from "../../src/urlfrontier/load-grpc.ts";
import type { AckStatus } from "../../src/urlfrontier/messages.ts";
import { type FrontierServerOptions, serveFrontier } from "../../src/urlfrontier/serve-frontier.ts";

type Answer = Record<string, unknown>;
type Callback = (fault: Error | null, answer: Answer) => void;
type Methods = Record<string, (...args: unknown[]) => NodeJS.ReadWriteStream>;

/** A URL as tests put it: a text, or one with more fields. */
export type TestUrl = string | { readonly url: string; readonly [field: string]: unknown };

/** A real gRPC client of the API. */
export class FrontierClient {
  readonly #client: Client & Methods;

  constructor(client: Client) {
    this.#client = client as Client & Methods;
  }

  /** A call with one answer. */
  call(name: string, request: object = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const done: Callback = (fault, answer) => (fault === null ? resolve(answer) : reject(fault));
      this.#client[name]!(request, done);
    });
  }

  /** A call with many answers. */
  async list(name: string, request: object = {}): Promise<Answer[]> {
    const answers: Answer[] = [];
    for await (const answer of this.#client[name]!(request)) answers.push(answer as never);
    return answers;
  }

  /** A call with many requests and many answers. */
  async exchange(name: string, requests: readonly object[]): Promise<Answer[]> {
    const stream = this.#client[name]!();
    for (const request of requests) stream.write(request as never);
    stream.end();
    const answers: Answer[] = [];
    for await (const answer of stream) answers.push(answer as never);
    return answers;
  }

  /** Puts discovered URLs; answers what became of each. */
  async discover(...urls: TestUrl[]): Promise<AckStatus[]> {
    const items = urls.map((url) => ({ discovered: { info: infoOf(url) } }));
    return (await this.exchange("PutURLs", items)).map(({ status }) => status as AckStatus);
  }

  /** Puts URLs that were fetched. */
  async update(refetchable_from_date: number, ...urls: TestUrl[]): Promise<AckStatus[]> {
    const items = urls.map((url) => ({ known: { info: infoOf(url), refetchable_from_date } }));
    return (await this.exchange("PutURLs", items)).map(({ status }) => status as AckStatus);
  }

  /** The URLs that GetURLs gives. */
  async take(request: object = {}): Promise<string[]> {
    return (await this.list("GetURLs", request)).map(({ url }) => url as string);
  }

  close(): void {
    this.#client.close();
  }
}

function infoOf(url: TestUrl): object {
  return typeof url === "string" ? { url } : url;
}

/** A folder that goes when the test has ended. */
export function temporaryFolder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "urlfrontier-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A client of the server at an address. */
export async function clientOf(address: string): Promise<FrontierClient> {
  const { service } = await loadGrpc();
  const Constructor = makeGenericClientConstructor(service, "URLFrontier");
  const client = new Constructor(address, credentials.createInsecure());
  return new FrontierClient(client as unknown as Client);
}

/** A server on a free port of loopback, and a client of it; both end with the test unless they are ended before. */
export async function startServer(
  t: TestContext,
  dir: string,
  options: Partial<FrontierServerOptions> = {},
) {
  const server = await serveFrontier({ dir, port: 0, ...options });
  const client = await clientOf(server.address);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    client.close();
    await server.close();
  };
  t.after(close);
  return { server, client, close };
}
