import { MAIN } from "../support/orbweaver.ts";
import { noteStop } from "./stop-notes.ts";

// The program as attacks run it with --stops: it interrupts itself at a random moment and notes how long its exit took.
/** Crawls of attacks last from half a second to a minute: one scale would strike only the beginning, or hardly ever. */
const WITHIN_MS = [300, 1000, 3000, 8000];

const command = process.argv[2];
if (command === "crawl" || command === "resume") {
  const afterMs = Math.random() * WITHIN_MS[Math.floor(Math.random() * WITHIN_MS.length)]!;
  const timer = setTimeout(() => {
    const sentMs = performance.now();
    noteStop({ pid: process.pid, afterMs: Math.round(afterMs) });
    process.on("exit", (code) => {
      noteStop({ pid: process.pid, exitMs: Math.round(performance.now() - sentMs), code });
    });
    // Before its signals are caught, or after everything is safe, the program ends by the signal itself.
    if (process.listenerCount("SIGINT") === 0) process.exit(130);
    process.kill(process.pid, "SIGINT");
  }, afterMs);
  timer.unref();
}
await import(MAIN);
