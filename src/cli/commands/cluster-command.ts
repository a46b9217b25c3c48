import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { printable } from "../../config/printable.ts";
import { EXIT, UsageError } from "../../errors.ts";
import type { ConnectedEngine } from "../../frontier/engine/connect-engine.ts";
import { wholeState } from "../../store/folder/crawl-folder.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { type Io, printJson } from "../io.ts";
import { DEBUG_OPTION, isOn, jsonOption, listOf, textOf } from "../options.ts";

const group = "Options";
const DEFAULT_SAMPLE_MS = 1000;
const ACTIONS = ["status", "collect", "rebalance", "delete"];

/** `orbweaver cluster`: operators of a distributed crawl. */
export const command: Command = {
  name: "cluster",
  usage: [
    "cluster status NAME --engine redis://HOST:PORT [--json | --prometheus]",
    "cluster collect NAME --out DIR (FOLDER... | --from DIR) [--engine redis://HOST:PORT]",
    "cluster rebalance NAME --engine redis://HOST:PORT",
    "cluster delete NAME --engine redis://HOST:PORT [--force]",
  ],
  about:
    "Looks after a crawl on an engine: shows how it is doing, merges the folders of its workers into one crawl folder, spreads its partitions over the servers of a Redis cluster, or removes it from the engine. A user name and a password of the engine are read from ORBWEAVER_ENGINE_USER and ORBWEAVER_ENGINE_PASSWORD.",
  options: [
    {
      flag: "engine",
      value: "URL",
      group,
      about: "the Redis-protocol server, or one server of the cluster",
      allowed: "an address",
      examples: ["--engine redis://127.0.0.1:6379"],
      environment: "ORBWEAVER_ENGINE",
    },
    {
      flag: "out",
      value: "DIR",
      group,
      about: "the new folder to collect into",
      allowed: "a folder",
      examples: ["--out crawls/all"],
    },
    {
      flag: "from",
      value: "DIR",
      group,
      about: "collect every folder of a worker of the crawl in this one",
      allowed: "a folder",
      examples: ["--from /shared/crawls"],
      repeatable: true,
    },
    {
      flag: "sample",
      value: "MS",
      group,
      about: "how long status looks for the rates",
      allowed: "milliseconds, 0 for no rates",
      examples: ["--sample 5000"],
      defaultText: String(DEFAULT_SAMPLE_MS),
    },
    {
      flag: "prometheus",
      group,
      about: "print the status as Prometheus reads it",
      allowed: "no value",
      examples: ["--prometheus"],
    },
    {
      flag: "force",
      group,
      about: "delete a crawl though workers are alive",
      allowed: "no value",
      examples: ["--force"],
    },
    jsonOption("print one JSON object instead of lines"),
    DEBUG_OPTION,
  ],
  examples: [
    ["orbweaver cluster status news --engine redis://127.0.0.1:6379", "how the crawl is doing"],
    [
      "orbweaver cluster collect news --from /shared --out crawls/news",
      "one folder of all workers'",
    ],
    ["orbweaver cluster delete news --engine redis://127.0.0.1:6379", "free the engine"],
  ],
  async run(args, io) {
    const [action, name, ...folders] = args.words;
    if (action === undefined || !ACTIONS.includes(action) || name === undefined)
      throw new UsageError(
        `cluster needs one of ${ACTIONS.join(", ")} and the name of a crawl; for example orbweaver cluster status news --engine redis://127.0.0.1:6379`,
      );
    if (action === "collect") return collect(args, io, name, folders);
    if (folders.length > 0)
      throw new UsageError(`cluster ${action} takes one name, not ${printable(folders[0]!)}`);
    const { connectEngine, engineAddress } = await import(
      "../../frontier/engine/connect-engine.ts"
    );
    const engine = await connectEngine(
      engineAddress(textOf(args, "engine") ?? io.environment.ORBWEAVER_ENGINE, io.environment),
    );
    try {
      if (action === "status") await status(args, io, engine, name);
      else if (action === "delete") await remove(args, io, engine, name);
      else await spread(args, io, engine, name);
    } finally {
      engine.close();
    }
    return EXIT.finished;
  },
};

async function status(args: Arguments, io: Io, engine: ConnectedEngine, name: string) {
  const { findCrawl } = await import("../../cluster/find-crawl.ts");
  const { readStatus } = await import("../../cluster/read-status.ts");
  const { prometheusText, statusText } = await import("../../cluster/status-text.ts");
  const text = textOf(args, "sample") ?? String(DEFAULT_SAMPLE_MS);
  if (!/^\d{1,7}$/.test(text))
    throw new UsageError("--sample needs milliseconds, for example --sample 5000");
  const found = await readStatus(engine, await findCrawl(engine, name), Number(text));
  if (isOn(args, "json")) printJson(io, found);
  else io.stdout.write(isOn(args, "prometheus") ? prometheusText(found) : statusText(found));
}

async function remove(args: Arguments, io: Io, engine: ConnectedEngine, name: string) {
  const { deleteCrawl } = await import("../../cluster/delete-crawl.ts");
  const keys = await deleteCrawl(engine, name, isOn(args, "force"));
  if (isOn(args, "json")) printJson(io, { crawl: name, keys });
  else io.stdout.write(`${name}: ${keys} keys removed\n`);
}

async function spread(args: Arguments, io: Io, engine: ConnectedEngine, name: string) {
  const { findCrawl } = await import("../../cluster/find-crawl.ts");
  const { rebalance } = await import("../../cluster/rebalance.ts");
  const result = await rebalance(engine, await findCrawl(engine, name), (done, moves) => {
    if (done % 10 === 0) io.stderr.write(`${done} of ${moves} partitions moved\n`);
  });
  const { servers, moved, keys, adopted } = result;
  if (adopted > 0)
    io.stderr.write(`${adopted} partitions that another tool had moved go on where they are\n`);
  if (isOn(args, "json")) printJson(io, { crawl: name, ...result });
  else
    io.stdout.write(`${name}: ${moved} partitions with ${keys} keys moved, ${servers} servers\n`);
}

async function collect(args: Arguments, io: Io, name: string, named: readonly string[]) {
  const out = textOf(args, "out");
  const inside = listOf(args, "from").flatMap((dir) => foldersOf(dir, name));
  const given = [...new Set([...named, ...inside])];
  const address = textOf(args, "engine") ?? io.environment.ORBWEAVER_ENGINE;
  if (out === undefined || (given.length === 0 && address === undefined))
    throw new UsageError(
      "cluster collect needs --out DIR and the folders of the workers, or --from DIR with their folders in it, or --engine, which knows where they are",
    );
  const note = (text: string) => io.stderr.write(`orbweaver: ${text}\n`);
  const folders = address === undefined ? given : await settled(address, io, name, given, note);
  const { completeFolder } = await import("../../cluster/worker-folders.ts");
  const { collectFolders } = await import("../../store/collect/collect-folders.ts");
  const recovered = new Set(folders.filter(completeFolder));
  const collection = collectFolders(folders, out, recovered);
  const { pages, archiveFiles, repeated } = collection;
  if (isOn(args, "json"))
    printJson(io, { crawl: name, out, ...collection, recovered: recovered.size });
  else
    io.stdout.write(
      `${printable(out, 1000)}: ${pages} pages in ${archiveFiles} archive files of ${folders.length} folders, ${repeated} lines repeated\n`,
    );
  return EXIT.finished;
}

/** The folders to collect, in which what dead workers left in doubt is decided by the engine. */
async function settled(
  address: string,
  io: Io,
  name: string,
  given: readonly string[],
  note: (text: string) => void,
): Promise<readonly string[]> {
  const { connectEngine, engineAddress } = await import("../../frontier/engine/connect-engine.ts");
  const { findCrawl } = await import("../../cluster/find-crawl.ts");
  const { registeredFolders, settleFolder, workerOfFolder } = await import(
    "../../cluster/worker-folders.ts"
  );
  const { defineScripts } = await import("../../frontier/engine/scripts/named-scripts.ts");
  const engine = await connectEngine(engineAddress(address, io.environment));
  try {
    const { keys, settings } = await findCrawl(engine, name);
    const { client } = engine;
    const registered = await registeredFolders(client, keys);
    const folders = given.length > 0 ? given : registered.map(({ folder }) => folder);
    const found = new Set(folders.filter((one) => existsSync(one)).map(workerOfFolder));
    const missing = registered.filter(({ worker }) => !found.has(worker));
    for (const { worker, host, folder } of missing)
      note(
        `worker ${worker} wrote to ${printable(folder)} on ${printable(host)}, which is not here`,
      );
    if (missing.length > 0 && given.length === 0)
      throw new UsageError(
        "copy these folders here and name all folders, or their parent with --from",
      );
    defineScripts(client);
    const order = settings.order as "bfs" | "dfs" | "opic";
    for (const folder of folders) await settleFolder({ client, keys, order }, folder);
    return folders;
  } finally {
    engine.close();
  }
}

/** The folders of a crawl's workers in a shared one. */
function foldersOf(dir: string, name: string): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isOfCrawl(join(dir, entry.name), name))
      .map((entry) => join(dir, entry.name))
      .sort();
  } catch (fault) {
    throw new UsageError(`--from ${printable(dir)} is no folder that can be read`, fault);
  }
}

/** Whether a folder is a worker's of this crawl. */
function isOfCrawl(folder: string, name: string): boolean {
  const config = wholeState(folder)?.config as { crawlName?: string; worker?: object } | undefined;
  return config?.crawlName === name && config.worker !== undefined;
}
