import { createRequire } from "node:module";
import { hasKnownFlags, USUAL_FLAG } from "./run-script.ts";

/** How much byte code a function runs before V8 considers optimising it: seven times as much as usual. */
const LESS_FLAG = "--interrupt-budget=500000";
/**
 * A thread collects its young garbage alone: little of it survives, and waking others for that costs more than they save.
 * V8 reads this once per collection, and takes kept code whatever it is, so it is never undone.
 */
const ALONE_FLAG = "--no-parallel-scavenge";
/** After this long the first pages have been fetched, and with them Node has loaded what it loads for the first request. */
const FIRST_PAGES_MS = 60;
/** A process that has used so much CPU will use more: from then on optimising pays. */
const LONG_CPU_SECONDS = 0.9;
const LOOK_EVERY_MS = 100;

let isAllowed = false;
let isLess = false;
let timer: NodeJS.Timeout | undefined;

/**
 * From now on `compileLess` has an effect. Flags hold for the whole process, so only a program that does nothing but
 * crawl may ask for it.
 */
export function mayCompileLess(): void {
  isAllowed = hasKnownFlags;
}

/**
 * Has V8 optimise fewer functions as long as the process is young: by itself it compiles hundreds within the first thousand
 * pages, which costs a short crawl more than they save. Has threads collect garbage alone as well. Called when threads have
 * loaded their code, and soon done: V8 takes no kept code, not even that of Node's own modules, that was compiled with other
 * flags.
 */
export function compileLess(): void {
  if (isAllowed && !isLess) timer ??= setTimeout(begin, FIRST_PAGES_MS).unref();
}

/** Undoes that, because a thread starts. */
export function compileAsUsual(): void {
  clearTimeout(timer);
  timer = undefined;
  if (isLess) setFlag(USUAL_FLAG);
  isLess = false;
}

function begin(): void {
  setFlag(ALONE_FLAG);
  setFlag(LESS_FLAG);
  isLess = true;
  timer = setInterval(look, LOOK_EVERY_MS).unref();
}

function look(): void {
  const { user, system } = process.cpuUsage();
  if ((user + system) / 1e6 < LONG_CPU_SECONDS) return;
  isAllowed = false;
  compileAsUsual();
}

function setFlag(flag: string): void {
  // Loaded here: threads that never come here do not need it.
  const v8 = createRequire(import.meta.url)("node:v8") as typeof import("node:v8");
  v8.setFlagsFromString(flag);
}
