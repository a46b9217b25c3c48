import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { startWatched, type WatchedCrawl } from "../browser/browser.ts";
import { withFolder } from "../faults/drill.ts";
import { sendPage, withServer } from "./loopback-server.ts";

/** A crawl that goes on for as long as it is looked at, with its dashboard. */
export interface Target extends Omit<WatchedCrawl, "web"> {
  readonly port: number;
  readonly out: string;
  /** Committed pages so far. */
  pages(): Promise<number>;
}

/** What was answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What is sent. */
export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Runs with a crawl of a chain of pages that never ends, of which each has its title from here. */
export function withWatchedCrawl<T>(
  program: string,
  run: (target: Target) => Promise<T>,
  titleOf: (page: number) => string = (page) => `page ${page}`,
): Promise<T> {
  return withServer(
    ({ url = "/" }, response) => {
      const page = Number(/\d+/.exec(url)?.[0] ?? 0);
      const next = `<a href="/${page + 1}">on</a> <a href="javascript:alert(${page})">no</a>`;
      sendPage(response, `<title>${titleOf(page)}</title>${next}`);
    },
    (webPort) =>
      withFolder(async (folder) => {
        const out = join(folder, "out");
        const crawl = ["crawl", `http://127.0.0.1:${webPort}/`, "--out", out, "--delay", "20"];
        const more = ["--threads", "1", "--quiet", "--dashboard"];
        const watched = await startWatched([...crawl, ...more], program);
        const port = Number(new URL(watched.url).port);
        const pages = async () => {
          const { body } = await ask(port, "/metrics");
          return Number(/^orbweaver_pages_total (\d+)$/m.exec(body)?.[1]);
        };
        try {
          return await run({ ...watched, port, out, pages });
        } finally {
          watched.kill("SIGKILL");
          await watched.ended;
        }
      }),
  );
}

/** Asks a dashboard; the path goes out as it is, dots and all. */
export function ask(port: number, path: string, question: Question = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body } = question;
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, method, headers, agent: false };
    const sent = request(options, (response) => {
      let text = "";
      const answer = () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: text });
      const isEndless = /^text\/event-stream/.test(response.headers["content-type"] ?? "");
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (!isEndless) return;
        // A stream that should have been refused goes on for ever: its beginning is the answer.
        answer();
        sent.destroy();
      });
      response.on("end", answer);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends raw requests and reads nothing beyond the first piece of the answer; "" when the connection is closed instead. */
export function knock(
  port: number,
  text: string,
): Promise<{ readonly socket: Socket; readonly head: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("error", () => {});
    socket.once("close", () => resolve({ socket, head: "" }));
    socket.once("data", (data) => {
      socket.pause();
      resolve({ socket, head: data.toString("latin1") });
    });
  });
}

/** Waits until something holds; false when it does not within ten seconds. */
export async function comesTrue(holds: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (await holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
