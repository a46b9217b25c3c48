import type { OptionSpec } from "../config/option.ts";
import { printable } from "../config/printable.ts";
import { UsageError } from "../errors.ts";
import type { WebCommandOptions } from "../web/serve-command.ts";
import type { Arguments } from "./arguments.ts";

/** Turns the text of an option into its value; undefined when it is not allowed. */
type Reader = (text: string) => string | number | undefined;

const whole =
  (min: number, max: number): Reader =>
  (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
const share: Reader = (text) => {
  const value = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return value <= 1 ? value : undefined;
};
const oneOf =
  (...words: string[]): Reader =>
  (text) =>
    words.includes(text) ? text : undefined;
const anyText: Reader = (text) => (text === "" ? undefined : text);

interface WebOption {
  readonly name: keyof WebCommandOptions;
  readonly flag: string;
  readonly value?: string;
  readonly about: string;
  readonly allowed: string;
  readonly example: string;
  readonly read?: Reader;
}

const PROFILE_NAMES = ["demo", "hostile", "polite", "real", "small", "tiny"];
const MILLISECONDS = "a whole number of milliseconds";

/** What is served, then how it is served. */
const OPTIONS: readonly WebOption[] = [
  {
    name: "profile",
    flag: "profile",
    value: "NAME",
    about:
      "a synthetic web; the same name is the same web, byte for byte (default demo); hostile is one of bad servers",
    allowed: PROFILE_NAMES.join(", "),
    example: "tiny",
    read: oneOf(...PROFILE_NAMES),
  },
  {
    name: "seed",
    flag: "seed",
    value: "N",
    about: "another web of the same kind",
    allowed: "a whole number",
    example: "7",
    read: whole(0, 2 ** 32 - 1),
  },
  {
    name: "hosts",
    flag: "hosts",
    value: "N",
    about: "so many hosts: 127.0.0.1, 127.0.0.2 and so on",
    allowed: "a whole number from 1 to 60000",
    example: "20",
    read: whole(1, 60_000),
  },
  {
    name: "pages",
    flag: "pages",
    value: "N",
    about: "so many pages over all hosts",
    allowed: "a whole number of at least 1",
    example: "500",
    read: whole(1, 1e9),
  },
  {
    name: "errorRate",
    flag: "error-rate",
    value: "X",
    about: "share of pages that are missing, broken, busy once or reset once",
    allowed: "a number from 0 to 1",
    example: "0.05",
    read: share,
  },
  {
    name: "robots",
    flag: "robots",
    value: "KIND",
    about: "what the hosts' robots.txt says",
    allowed: "none, simple or strict",
    example: "simple",
    read: oneOf("none", "simple", "strict"),
  },
  {
    name: "dir",
    flag: "dir",
    value: "FOLDER",
    about: "serve a real folder; /x/ leads to /x/index.html",
    allowed: "the name of a folder",
    example: "public/",
    read: anyText,
  },
  {
    name: "startPath",
    flag: "start",
    value: "PATH",
    about: "the folder's start page (default: the index.html nearest to the top)",
    allowed: "a path that starts with /",
    example: "/index.html",
    read: (text) => (text.startsWith("/") ? text : undefined),
  },
  {
    name: "spread",
    flag: "spread",
    value: "N",
    about: "the folder under N host names, links rewritten to lead across them",
    allowed: "a whole number from 1 to 1000",
    example: "8",
    read: whole(1, 1000),
  },
  {
    name: "graph",
    flag: "graph",
    value: "FILE",
    about: "serve a link graph in WebGraph's text form, plain or .gz",
    allowed: "the name of a file",
    example: "web.graph-txt.gz",
    read: anyText,
  },
  {
    name: "names",
    flag: "names",
    about: "hosts are names (host0.test) that --resolve leads here, not addresses",
    allowed: "it without a value",
    example: "",
  },
  {
    name: "latencyMs",
    flag: "latency",
    value: "MS",
    about: "how long each answer is held back",
    allowed: MILLISECONDS,
    example: "50",
    read: whole(0, 600_000),
  },
  {
    name: "delayMs",
    flag: "delay",
    value: "MS",
    about: "report requests that come sooner after a host's last response",
    allowed: MILLISECONDS,
    example: "1000",
    read: whole(0, 86_400_000),
  },
  {
    name: "port",
    flag: "port",
    value: "N",
    about: "listen here instead of at any free port",
    allowed: "a port from 0 to 65535",
    example: "8080",
    read: whole(0, 65_535),
  },
  {
    name: "address",
    flag: "address",
    value: "ADDR",
    about: "first loopback address to listen at (default 127.0.0.1)",
    allowed: "an address of this machine's loopback",
    example: "127.0.0.1",
    read: anyText,
  },
];

/** The options for help and parser. */
export const WEB_OPTIONS: readonly OptionSpec[] = OPTIONS.map(
  ({ flag, value, about, allowed, example }) => ({
    flag,
    ...(value === undefined ? {} : { value }),
    group: "Options",
    about,
    allowed,
    examples: [`--${flag}${example === "" ? "" : ` ${example}`}`],
  }),
);

/** Reads the values that were given, or fails with what is wrong and what is allowed. */
export function webOptionsOf(args: Arguments): WebCommandOptions {
  const options: Record<string, unknown> = {};
  for (const { name, flag, read, allowed } of OPTIONS) {
    const given = args.options.get(flag);
    if (given === undefined) continue;
    const value = read === undefined ? given : read(String(given));
    if (value === undefined) {
      throw new UsageError(`--${flag} cannot be "${printable(String(given))}"; use ${allowed}`);
    }
    options[name] = value;
  }
  return options;
}
