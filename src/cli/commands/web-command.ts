import { EXIT, UsageError } from "../../errors.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { onSignals } from "../io.ts";
import { WEB_OPTIONS, webOptionsOf } from "../web-options.ts";

/** `orbweaver web`. */
export const command: Command = {
  name: "web",
  usage: [
    "web [--profile NAME] [OPTION...]",
    "web --dir FOLDER [--start PATH] [--spread N]",
    "web --graph FILE [--hosts N]",
  ],
  about:
    "Serves a deterministic web on this machine until Ctrl-C. One line of JSON tells its address, where to start and what a complete crawl finds; a second one, at the end, what the web saw: requests, repeated pages, requests that came too fast.",
  options: WEB_OPTIONS,
  examples: [
    ["orbweaver web --profile tiny --port 8080", "a handful of pages at a known port"],
    ["orbweaver web --dir public/ --spread 8", "a folder under eight host names"],
  ],
  async run(args: Arguments, io) {
    const [extra] = args.words;
    if (extra !== undefined) {
      throw new UsageError(`web takes options only; did you mean --dir ${extra}?`);
    }
    const options = webOptionsOf(args);
    const { runWeb } = await import("../../web/serve-command.ts");
    const stop = new AbortController();
    const forget = onSignals(() => stop.abort());
    await runWeb(options, { ...io, signal: stop.signal }).finally(forget);
    return EXIT.finished;
  },
};
