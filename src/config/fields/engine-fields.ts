import { optional, withDefault } from "../field.ts";
import { duration, size, text, toggle } from "../values/kinds.ts";

const group = "Frontier";
const ENGINE = "the crawl lies on the engine";

/** Fields about a crawl on an engine that many machines share. */
export const engine = {
  engine: optional(
    text(
      "URL",
      "redis://HOST:PORT or rediss://HOST:PORT; name and password come from ORBWEAVER_ENGINE_USER and ORBWEAVER_ENGINE_PASSWORD",
      engineRefusal,
    ),
    {
      flag: "engine",
      group,
      about:
        "the server, or one server of the cluster, of a crawl on an engine: Redis 7 or later, or Valkey",
      examples: ["--engine redis://127.0.0.1:6379"],
      environment: "ORBWEAVER_ENGINE",
    },
  ),
  crawlName: optional(
    text(
      "NAME",
      "1 to 64 letters, digits, dots, dashes and underscores, the first a letter or digit",
      (name) => (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) ? undefined : "it is no such name"),
    ),
    {
      flag: "crawl",
      group,
      about: "the name of the crawl on the engine, by which orbweaver worker joins it",
      examples: ["--crawl news-2026"],
      defaultText: "a new name, which is printed",
      fixed: ENGINE,
    },
  ),
  // A worker notices within 2 s that the engine has lost what it confirmed: a lease must outlast that.
  engineLeaseMs: withDefault(duration(3000), 15_000, {
    flag: "engine-lease",
    group,
    about:
      "how long a worker may be silent before others take over its sites; at most twice the cluster-node-timeout of a cluster",
    examples: ["--engine-lease 30s"],
    fixed: ENGINE,
  }),
  engineMemoryBytes: optional(size(1), {
    flag: "engine-memory",
    group,
    about:
      "above this use of memory by a server of the engine, workers compress long queues into blocks; with --order bfs or dfs",
    examples: ["--engine-memory 8GB"],
    fixed: ENGINE,
  }),
  supersteps: withDefault(toggle(), false, {
    flag: "supersteps",
    group,
    about:
      "workers exchange links in supersteps with a barrier instead of whenever there are some; reports/supersteps.jsonl tells of each",
    examples: ["--supersteps"],
    fixed: ENGINE,
  }),
  volatile: withDefault(toggle(), false, {
    flag: "volatile",
    group,
    about: "accept an engine that keeps nothing on disk: what it knows is gone when it ends",
    examples: ["--volatile"],
  }),
};

function engineRefusal(value: string): string | undefined {
  if (!URL.canParse(value)) return "it is no URL";
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(value);
  if (protocol !== "redis:" && protocol !== "rediss:")
    return `it begins with ${protocol}// and not with redis:// or rediss://`;
  if (hostname === "") return "it names no host";
  if (!isDecodable(username) || !isDecodable(password))
    return "its name or password has a % that begins no escape: write it as %25";
  if (!/^\/?\d*$/.test(pathname) || search !== "" || hash !== "")
    return "behind the port only the number of a database is allowed";
  return undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
