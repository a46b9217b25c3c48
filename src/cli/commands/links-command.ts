import { printable } from "../../config/printable.ts";
import { EXIT, UsageError } from "../../errors.ts";
import { finalizeIfLeft } from "../../store/finish/finalize.ts";
import { LinkGraph } from "../../store/graph/link-graph.ts";
import { canonicalize } from "../../url/crawl-url.ts";
import type { Command } from "../command.ts";
import { printJson } from "../io.ts";
import { DEBUG_OPTION, isOn, jsonOption } from "../options.ts";

const group = "Options";

/** `orbweaver links`: who links to a URL, from the graph on disk. */
export const command: Command = {
  name: "links",
  usage: ["links DIR URL [--from] [--json]"],
  about:
    "Tells which pages of a crawl link to a URL, or with --from where a page links to. Looks it up in the link graph on disk; nothing is loaded into memory.",
  options: [
    {
      flag: "from",
      group,
      about: "list where the page links to, instead of who links to it",
      allowed: "no value",
      examples: ["--from"],
    },
    jsonOption("print one JSON object instead of lines"),
    DEBUG_OPTION,
  ],
  examples: [
    ["orbweaver links crawls/example https://example.org/about", "the pages that link there"],
  ],
  async run(args, io) {
    const [dir, link, ...more] = args.words;
    const url = link === undefined ? undefined : canonicalize(link);
    if (dir === undefined || url === undefined || more.length > 0) {
      const example = "for example orbweaver links crawls/example https://example.org/";
      throw new UsageError(`links takes a crawl folder and a complete URL; ${example}`);
    }
    finalizeIfLeft(dir);
    const graph = new LinkGraph(dir);
    try {
      const isFrom = isOn(args, "from");
      const found = isFrom ? graph.linksFrom(url) : graph.linksTo(url);
      const known = graph.knows(url);
      if (isOn(args, "json")) {
        printJson(io, { url, known, links: [...found] });
        return EXIT.finished;
      }
      const shown = printable(url, 3000);
      if (!known)
        throw new UsageError(`${shown} is neither a page of this crawl nor a link of one`);
      let isEmpty = true;
      for (const other of found) {
        isEmpty = false;
        io.stdout.write(`${printable(other, 3000)}\n`);
      }
      if (isEmpty)
        io.stderr.write(isFrom ? `${shown} links to nothing\n` : `no page links to ${shown}\n`);
    } finally {
      graph.close();
    }
    return EXIT.finished;
  },
};
