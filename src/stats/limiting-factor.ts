import type { CrawlActivity, Figures } from "./crawl-figures.ts";

/** What keeps a crawl from being faster. */
export type LimitingFactor =
  | CrawlActivity
  | "disk"
  | "cpu"
  | "network"
  | "delays"
  | "few-hosts"
  | "nothing-left";

/** A factor, and a sentence for people. */
export interface Limited {
  readonly factor: LimitingFactor;
  readonly text: string;
}

/** Threads this busy have no time left: the rest are pauses that nobody can use. */
const BUSY_SHARE = 0.85;
/** With so many of the places in use there is always one about to be free. */
const FULL_SHARE = 0.9;

const STATES: Readonly<Record<Exclude<CrawlActivity, "running">, string>> = {
  starting: "starting: threads read what earlier runs left",
  paused: "paused: nothing is fetched until you go on",
  stopping: "stopping: what is in flight is finished and committed",
  finished: "ended: no URL is left",
  limit: "ended: a limit was reached",
  interrupted: "ended: it was stopped",
  died: "its process is gone: orbweaver resume goes on",
};

/**
 * What limits the crawl now. `before` are figures of a few seconds ago, of the same run; without them the CPU of the process
 * is left out of account.
 */
export function limitingFactor(now: Figures, before: Figures | undefined, cores: number): Limited {
  if (now.state !== "running") return { factor: now.state, text: STATES[now.state] };
  if (now.diskWaits) return { factor: "disk", text: "the disk: it is full or fails" };
  if (2 * now.congested > now.threads)
    return {
      factor: "disk",
      text: `the disk: ${now.congested} of ${count(now.threads, "thread")} ${now.congested === 1 ? "waits" : "wait"} for pages to be written`,
    };
  const cpu = cpuShare(now, before, cores);
  if (now.busy >= BUSY_SHARE || cpu >= BUSY_SHARE) {
    const share = Math.round(100 * Math.max(now.busy, cpu));
    return { factor: "cpu", text: `CPU: crawler threads are busy ${share} % of the time` };
  }
  if (now.places > 0 && now.inFlight >= FULL_SHARE * now.places)
    return {
      factor: "network",
      text: `the network: all ${now.places} places wait for answers of servers`,
    };
  return limitedByWork(now);
}

function limitedByWork({ queued, inFlight, hostsWaiting }: Figures): Limited {
  if (hostsWaiting > 0)
    return {
      factor: "delays",
      text: `politeness: ${count(hostsWaiting, "host")} ${hostsWaiting === 1 ? "waits" : "wait"} for ${hostsWaiting === 1 ? "its" : "their"} delay`,
    };
  if (queued > 0)
    return {
      factor: "few-hosts",
      text: `few hosts: ${count(queued, "URL")} wait for ${count(inFlight, "request")} in flight to the same hosts`,
    };
  if (inFlight > 0)
    return {
      factor: "network",
      text: `nothing waits: the last ${count(inFlight, "request")} ${inFlight === 1 ? "is" : "are"} in flight`,
    };
  return { factor: "nothing-left", text: "nothing is left to fetch" };
}

function cpuShare(now: Figures, before: Figures | undefined, cores: number): number {
  if (before === undefined || before.run !== now.run) return 0;
  const seconds = now.runSeconds - before.runSeconds;
  return seconds <= 0 ? 0 : (now.cpuSeconds - before.cpuSeconds) / seconds / cores;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
