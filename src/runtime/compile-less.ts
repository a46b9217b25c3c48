import { createRequire } from "node:module";
import { hasKnownFlags, USUAL_BUDGET, USUAL_INLINING } from "./run-script.ts";

/** How much byte code a function runs before V8 considers optimising it: seven times as much as usual. */
const LARGE_BUDGET = "--interrupt-budget=500000";
/** What is done once, at the end of a crawl, is over before optimising it would have paid. */
const LARGEST_BUDGET = "--interrupt-budget=1000000";
/** How much byte code is compiled into the function that calls it: a third. What V8 saves by that a crawl does not notice. */
const LITTLE_INLINING = "--max-inlined-bytecode-size-cumulative=300";
/**
 * A thread collects its young garbage alone: little of it survives, and waking others for that costs more than they save.
 * V8 reads this once per collection, and takes kept code whatever it is, so it is never undone.
 */
const ALONE_FLAG = "--no-parallel-scavenge";
/** After this long the first pages have been fetched, and with them Node has loaded what it loads for the first request. */
const FIRST_PAGES_MS = 60;
/** A process that has used so much CPU for each of its crawler threads will use more: from then on optimising pays. */
const LONG_CPU_SECONDS = 2;
const LOOK_EVERY_MS = 100;

let isAllowed = false;
/** Until the process has used much CPU. */
let isYoung = true;
let isLess = false;
let timer: NodeJS.Timeout | undefined;
/** Crawler threads that run: what V8 optimises it optimises for each of them. */
let crawlers = 1;

/**
 * From now on `compileLess` has an effect. Flags hold for the whole process, so only a program that does nothing but
 * crawl may ask for it.
 */
export function mayCompileLess(): void {
  isAllowed = hasKnownFlags;
}

/**
 * Has V8 optimise fewer functions as long as the process is young: by itself it compiles hundreds within the first thousand
 * pages, which costs a short crawl more than they save. Has it compile less into each of them, and threads collect garbage
 * alone, from then on. Called when `threads` of them have loaded their code, and done soon: V8 takes no kept code, not even that of
 * Node's own modules, that was compiled with other flags.
 */
export function compileLess(threads = crawlers): void {
  crawlers = Math.max(1, threads);
  if (!isAllowed || isLess) return;
  timer ??= setTimeout(begin, FIRST_PAGES_MS).unref();
}

/** Undoes that, because a thread starts. */
export function compileAsUsual(): void {
  clearTimeout(timer);
  timer = undefined;
  if (isLess) for (const flag of [USUAL_BUDGET, USUAL_INLINING]) setFlag(flag);
  isLess = false;
}

/** All pages are fetched: has V8 optimise hardly anything of what is done then. */
export function compileLeast(): void {
  if (!isAllowed) return;
  clearInterval(timer);
  timer = undefined;
  isLess = true;
  setFlag(LARGEST_BUDGET);
}

function begin(): void {
  isLess = true;
  setFlag(ALONE_FLAG);
  setFlag(LITTLE_INLINING);
  timer = undefined;
  if (!isYoung) return;
  setFlag(LARGE_BUDGET);
  timer = setInterval(look, LOOK_EVERY_MS).unref();
}

function look(): void {
  const { user, system } = process.cpuUsage();
  if ((user + system) / 1e6 < LONG_CPU_SECONDS * crawlers) return;
  isYoung = false;
  clearInterval(timer);
  timer = undefined;
  setFlag(USUAL_BUDGET);
}

function setFlag(flag: string): void {
  // Loaded here: threads that never come here do not need it.
  const v8 = createRequire(import.meta.url)("node:v8") as typeof import("node:v8");
  v8.setFlagsFromString(flag);
}
