import { createServer, type Server, type Socket } from "node:net";
import { UsageError } from "../../errors.ts";

/** Sockets that accept, all on the same port. */
export interface Listeners {
  readonly port: number;
  close(): Promise<void>;
}

const MAX_TRIES = 20;

/** The address `index` places after `first`: 127.0.0.1, 127.0.0.2 and so on, within 127/8. */
export function nthAddress(first: string, index: number): string {
  const number = first.split(".").reduce((sum, part) => sum * 256 + Number(part), 0) + index;
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
}

/** Whether an address is one of this machine's own loopback addresses: a web is never shown to the network. */
export function isLoopback(address: string): boolean {
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address) || address === "::1";
}

/** Listens at every address on one port; port 0 takes one that is free at all of them. */
export async function listenAll(
  addresses: readonly string[],
  port: number,
  accept: (socket: Socket) => void,
): Promise<Listeners> {
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    try {
      let chosen = port;
      for (const address of addresses) {
        const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
        servers.push(server);
        chosen = await listen(server, address, chosen);
      }
      return { port: chosen, close: () => closeAll(servers) };
    } catch (error) {
      await closeAll(servers);
      const { code, message } = error as NodeJS.ErrnoException;
      // A port that was free at the first address may be taken at another: draw again.
      if (code === "EADDRINUSE" && port === 0 && attempt < MAX_TRIES) continue;
      throw new UsageError(`the web cannot listen: ${message}`, error);
    }
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  const open = servers.filter((server) => server.listening);
  await Promise.all(open.map((server) => new Promise<void>((done) => server.close(() => done()))));
}
