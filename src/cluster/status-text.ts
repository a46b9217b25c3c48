import { printable } from "../config/printable.ts";
import type { ClusterStatus } from "./read-status.ts";

const MIB = 1024 * 1024;

/** The status for people. */
export function statusText(status: ClusterStatus): string {
  const { workers, partitions: p, servers } = status;
  const alive = workers.filter(({ isAlive }) => isAlive);
  const rate = status.pagesPerSecond;
  const lines = [
    `crawl ${status.crawl}, begun ${status.created}`,
    `pages       ${count(status.pages)}${rate === undefined ? "" : `, ${rate.toFixed(1)}/s`}`,
    `queue       ${count(status.queued)} URLs wait or are out, ${count(status.settled)} are done, ${count(status.known)} are known`,
    `time left   ${timeLeft(status)}`,
    `late        ${count(status.late)} results came after their lease; ${count(status.abandoned)} URLs were given up`,
    `partitions  ${p.total}: ${p.held} held, ${p.free} free, ${p.done} without work${p.frozen > 0 ? `, ${p.frozen} frozen` : ""}${p.moved > 0 ? ` (${p.moved} moved by another tool while in use: they stand still until orbweaver cluster rebalance ${status.crawl})` : ""}${p.quiet > 0 ? `, ${p.quiet} quiet after a restart of the engine` : ""}`,
    `workers     ${alive.length} alive, ${workers.length - alive.length} silent`,
    ...workers.map(
      ({ holder, ageMs, isAlive, partitions, pages }) =>
        `  ${printable(holder)}  ${isAlive ? "" : "SILENT, "}heard of ${(ageMs / 1000).toFixed(1)} s ago, ${partitions} partitions, ${count(pages)} pages`,
    ),
    `engine      ${servers.length === 1 ? "one server" : `${servers.length} servers`}`,
    ...servers.map(
      ({ address, version, usedBytes, maxBytes, replicas }) =>
        `  ${address}  ${version}, ${mib(usedBytes)}${maxBytes > 0 ? ` of ${mib(maxBytes)}` : ""}, ${replicas === 1 ? "1 replica" : `${replicas} replicas`}`,
    ),
  ];
  if (status.slowestHosts.length > 0) {
    lines.push("hosts that need longest (of a sample)");
    for (const { host, queued, delayMs, pausedUntilMs } of status.slowestHosts) {
      const delay = delayMs > 0 ? `, asks for ${delayMs} ms` : "";
      const pause =
        pausedUntilMs > Date.now() ? `, paused until ${new Date(pausedUntilMs).toISOString()}` : "";
      lines.push(`  ${printable(host)}  ${count(queued)} URLs${delay}${pause}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The same figures in the text format of Prometheus. */
export function prometheusText(status: ClusterStatus): string {
  const { partitions: p } = status;
  const crawl = { crawl: status.crawl };
  const lines: string[] = [];
  const metric = (
    name: string,
    type: "counter" | "gauge",
    help: string,
    values: readonly (readonly [labels: Record<string, string>, value: number | undefined])[],
  ) => {
    const known = values.filter(([, value]) => value !== undefined);
    if (known.length === 0) return;
    lines.push(`# HELP orbweaver_${name} ${help}`, `# TYPE orbweaver_${name} ${type}`);
    for (const [labels, value] of known)
      lines.push(`orbweaver_${name}{${labelText({ ...crawl, ...labels })}} ${value}`);
  };
  metric("pages_total", "counter", "Pages committed.", [[{}, status.pages]]);
  metric("urls_inserted_total", "counter", "URLs that came in.", [[{}, status.inserted]]);
  metric("urls_settled_total", "counter", "URLs that are done.", [[{}, status.settled]]);
  metric("late_results_total", "counter", "Results after their lease.", [[{}, status.late]]);
  metric("abandoned_urls_total", "counter", "URLs that were given up.", [[{}, status.abandoned]]);
  metric("urls_known", "gauge", "URLs in the seen-set.", [[{}, status.known]]);
  metric("urls_queued", "gauge", "URLs that wait or are out.", [[{}, status.queued]]);
  metric("pages_per_second", "gauge", "Pages per second.", [[{}, status.pagesPerSecond]]);
  metric("seconds_left", "gauge", "Until the queue is empty.", [[{}, status.secondsLeft]]);
  const states = ["held", "free", "done", "frozen", "moved", "quiet"] as const;
  metric(
    "partitions",
    "gauge",
    "Partitions by state.",
    states.map((state) => [{ state }, p[state]]),
  );
  const perWorker = (value: (worker: ClusterStatus["workers"][number]) => number) =>
    status.workers.map((worker) => [{ holder: worker.holder }, value(worker)] as const);
  metric(
    "worker_up",
    "gauge",
    "1 when the worker was heard of within a lease.",
    perWorker(({ isAlive }) => (isAlive ? 1 : 0)),
  );
  metric(
    "worker_silence_seconds",
    "gauge",
    "Since its last sign of life.",
    perWorker(({ ageMs }) => ageMs / 1000),
  );
  metric(
    "worker_partitions",
    "gauge",
    "Partitions it holds.",
    perWorker(({ partitions }) => partitions),
  );
  metric(
    "worker_pages_total",
    "counter",
    "Pages it has settled.",
    perWorker(({ pages }) => pages),
  );
  const perServer = (value: (server: ClusterStatus["servers"][number]) => number) =>
    status.servers.map((server) => [{ server: server.address }, value(server)] as const);
  metric(
    "engine_memory_bytes",
    "gauge",
    "Memory the server uses.",
    perServer(({ usedBytes }) => usedBytes),
  );
  metric(
    "engine_max_memory_bytes",
    "gauge",
    "Memory it may use, 0 without a limit.",
    perServer(({ maxBytes }) => maxBytes),
  );
  metric(
    "engine_replicas",
    "gauge",
    "Replicas that are connected.",
    perServer(({ replicas }) => replicas),
  );
  metric(
    "host_queued_urls",
    "gauge",
    "URLs of the hosts that need longest, of a sample.",
    status.slowestHosts.map(({ host, queued }) => [{ host }, queued]),
  );
  return `${lines.join("\n")}\n`;
}

function labelText(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");
}

/** Names of hosts and workers come from outside. */
function escaped(value: string): string {
  return printable(value).replace(/[\\"]/g, "\\$&");
}

function timeLeft({ secondsLeft, queued }: ClusterStatus): string {
  if (queued === 0) return "none: nothing is queued";
  if (secondsLeft === undefined) return "unknown: nothing was done during the sample";
  const [hours, minutes] = [Math.floor(secondsLeft / 3600), Math.floor((secondsLeft % 3600) / 60)];
  const text =
    hours > 0
      ? `${count(hours)} h ${minutes} min`
      : `${minutes} min ${Math.round(secondsLeft % 60)} s`;
  return `${text}, if nothing new were found`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function mib(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
