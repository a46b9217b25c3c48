import { EXIT, UsageError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { onSignals, printJson } from "../io.ts";
import { DEBUG_OPTION, textOf } from "../options.ts";

const group = "Options";
const DEFAULT_DIR = "./urlfrontier";
const MAX_PORT = 65_535;

/** `orbweaver frontier`: the URLFrontier API for other crawlers. */
export const command: Command = {
  name: "frontier",
  usage: ["frontier --grpc PORT [--out DIR] [--address ADDRESS]"],
  about:
    "Serves the crawler-commons URLFrontier API over gRPC until Ctrl-C, so that StormCrawler and other crawlers can keep their URLs here. What it acknowledges is on disk. One line of JSON tells where it listens. There is no password: bind it to other addresses only where all who reach them may use it.",
  options: [
    {
      flag: "grpc",
      value: "PORT",
      group,
      about: "the port to listen on",
      allowed: "a port, or 0 for any that is free",
      examples: ["--grpc 7071"],
    },
    {
      flag: "out",
      value: "DIR",
      group,
      about: "where URLs are kept; an existing folder of a URL frontier is continued",
      allowed: "a folder",
      examples: ["--out frontier"],
      defaultText: DEFAULT_DIR,
    },
    {
      flag: "address",
      value: "ADDRESS",
      group,
      about: "the address to listen on",
      allowed: "an address of this machine",
      examples: ["--address 127.0.0.1"],
      defaultText: "127.0.0.1",
    },
    DEBUG_OPTION,
  ],
  examples: [["orbweaver frontier --grpc 7071", "the usual port, for clients on this machine"]],
  async run(args, io) {
    const [extra] = args.words;
    if (extra !== undefined) throw new UsageError("frontier takes options only; use --out DIR");
    const port = portOf(textOf(args, "grpc"));
    const { serveFrontier } = await import("../../urlfrontier/serve-frontier.ts");
    const address = textOf(args, "address");
    const server = await serveFrontier({
      dir: textOf(args, "out") ?? DEFAULT_DIR,
      port,
      ...(address !== undefined && { address }),
      print: (line) => io.stderr.write(line),
    });
    printJson(io, { address: server.address, port: server.port });
    const forget = onSignals(() => void server.close());
    await server.ended.finally(async () => {
      forget();
      await server.close();
    });
    return EXIT.finished;
  },
};

function portOf(text: string | undefined): number {
  const port = Number(text);
  if (text === undefined || !/^\d+$/.test(text) || port > MAX_PORT)
    throw new UsageError("frontier needs --grpc PORT, for example orbweaver frontier --grpc 7071");
  return port;
}
