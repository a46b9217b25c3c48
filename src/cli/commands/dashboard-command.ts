import { printable } from "../../config/printable.ts";
import { EXIT, UsageError } from "../../errors.ts";
import { readCrawlState } from "../../store/folder/crawl-folder.ts";
import { noCrawl } from "../../store/folder/no-crawl.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { onSignals } from "../io.ts";
import { DEBUG_OPTION, onlyWord, textOf } from "../options.ts";

const MAX_PORT = 65_535;

/** `orbweaver dashboard`. */
export const command: Command = {
  name: "dashboard",
  usage: ["dashboard DIR [--port N]"],
  about:
    "Shows a crawl in a browser: one that is over, that died, or that runs in another process. To steer a running crawl, start it with --dashboard; this command then prints its address. Ends with Ctrl-C.",
  options: [
    {
      flag: "port",
      value: "N",
      group: "Options",
      about: "the port to listen on (default: any free one)",
      allowed: `a whole number from 0 to ${MAX_PORT}`,
      examples: ["--port 8080"],
    },
    {
      flag: "listen",
      value: "ADDRESS",
      group: "Options",
      about: "where to listen (default 127.0.0.1); others need ORBWEAVER_DASHBOARD_TOKEN",
      allowed: "an address of this machine",
      examples: ["--listen 127.0.0.1"],
    },
    DEBUG_OPTION,
  ],
  examples: [["orbweaver dashboard crawls/example", "look at a crawl"]],
  async run(args, io) {
    const dir = onlyWord(
      args,
      "dashboard takes one folder, for example orbweaver dashboard crawls/example",
    );
    if (readCrawlState(dir) === undefined) throw noCrawl(dir);
    const port = portOf(args);
    const { runningDashboard } = await import("../../dashboard/serve-dashboard.ts");
    const running = runningDashboard(dir);
    if (running !== undefined) {
      io.stderr.write(`Dashboard: ${printable(running, 1000)}\n`);
      return EXIT.finished;
    }
    const { serveFolder } = await import("../run-dashboard.ts");
    const token = io.environment.ORBWEAVER_DASHBOARD_TOKEN || undefined;
    const address = textOf(args, "listen") ?? "127.0.0.1";
    const dashboard = await serveFolder(dir, { port, address, token });
    io.stderr.write(`Dashboard: ${dashboard.url}\n`);
    await new Promise<void>((resolve) => {
      const forget = onSignals(() => {
        forget();
        resolve();
      });
    });
    await dashboard.close();
    return EXIT.finished;
  },
};

function portOf(args: Arguments): number {
  const text = textOf(args, "port") ?? "0";
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > MAX_PORT)
    throw new UsageError(
      `--port ${printable(text, 100)} is not allowed; use a whole number from 0 to ${MAX_PORT}`,
    );
  return port;
}
