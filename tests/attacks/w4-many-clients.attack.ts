import type { Socket } from "node:net";
import type { Attack } from "./attack.ts";
import { ask, knock, withWatchedCrawl } from "./watched-crawl.ts";

/** Clients that only listen, and requests that each of some others sends without reading. */
const CLIENTS = { short: 1000, full: 10_000, mutant: 400 } as const;
const AT_ONCE = 200;
const MAX_LISTENING = 100;
const MAX_CONNECTIONS = 300;
const PIPELINED = 2000;
const RUDE = 20;
const MAX_GROWTH_MIB = 96;
/** The crawl waits for its delay, so nothing else should slow it down; some pages of a short look are chance. */
const MIN_RATE = 0.9;

/** Row W4: however many listen, and however little they read, the crawl keeps its memory and its pace. */
export const attack: Attack = {
  row: "W4",
  what: "thousands of clients that listen, and clients that ask without reading",
  run: ({ program, size, onStep }) =>
    withWatchedCrawl(program, async ({ port, token, pages }) => {
      const problems: string[] = [];
      const host = `Host: 127.0.0.1:${port}\r\n`;
      const get = (path: string) => `GET ${path}?token=${token} HTTP/1.1\r\n${host}\r\n`;
      const rssMiB = async () => {
        const { body } = await ask(port, "/metrics");
        return Number(/^orbweaver_resident_memory_bytes (\d+)$/m.exec(body)?.[1]) / 2 ** 20;
      };
      const rate = async (seconds: number) => {
        const [before, fromMs] = [await pages(), performance.now()];
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
        return (1000 * ((await pages()) - before)) / (performance.now() - fromMs);
      };
      const calm = await rate(size === "full" ? 10 : 3);
      const before = await rssMiB();
      const open: Socket[] = [];
      const answers = new Map<string, number>();
      for (let sent = 0; sent < CLIENTS[size]; sent += AT_ONCE) {
        const group = Array.from({ length: AT_ONCE }, () => knock(port, get("/api/events")));
        for (const { socket, head } of await Promise.all(group)) {
          const status = /^HTTP\/1.1 (\d+)/.exec(head)?.[1] ?? "closed";
          answers.set(status, (answers.get(status) ?? 0) + 1);
          if (status === "200") open.push(socket);
          // A refused client may ask again; here the next one takes its place.
          else if (open.length + answers.get(status)! > MAX_CONNECTIONS) socket.destroy();
        }
      }
      onStep?.(`clients: ${JSON.stringify(Object.fromEntries(answers))}`);
      if (open.length !== MAX_LISTENING) problems.push(`${open.length} clients listen`);
      for (const socket of open.splice(20)) socket.destroy();
      const rude = await Promise.all(
        Array.from({ length: RUDE }, () =>
          knock(port, get("/api/hosts").repeat(PIPELINED) + get("/app.js").repeat(PIPELINED)),
        ),
      );
      const busy = await rate(size === "full" ? 10 : 3);
      const growth = (await rssMiB()) - before;
      if (growth > MAX_GROWTH_MIB) problems.push(`${Math.round(growth)} MiB more`);
      // The short form runs beside other work, where a rate says nothing.
      if (size === "full" && busy < MIN_RATE * calm)
        problems.push(`${busy.toFixed(1)} pages/s instead of ${calm.toFixed(1)}`);
      for (const socket of [...open, ...rude.map((each) => each.socket)]) socket.destroy();
      const figures = {
        "listening of": `${MAX_LISTENING}/${CLIENTS[size]}`,
        "MiB more": Math.round(growth),
        "pages/s before": Number(calm.toFixed(1)),
        "pages/s meanwhile": Number(busy.toFixed(1)),
      };
      return { figures: { W4: figures }, problems };
    }),
  mutants: [
    {
      name: "any number may listen",
      from: "this.#clients.size >= MAX_CLIENTS",
      to: "false",
    },
  ],
};
