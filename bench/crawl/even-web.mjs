import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { NEW_LINKS } from "./even-graph.mjs";

/** More pages than asked for: hosts do not take turns exactly. */
const EXTRA_PAGES = 64;
const EXTRA = 1.2;

/** A web of `evenGraph` in a process of its own, in which `pages` pages can be crawled that are the same work. */
export async function startEvenWeb(hosts, pages) {
  const perHost = Math.ceil((EXTRA * NEW_LINKS * pages) / hosts) + EXTRA_PAGES;
  const entry = fileURLToPath(new URL("./even-web.child.mjs", import.meta.url));
  const child = fork(entry, [hosts, perHost], { execArgv: [] });
  const ended = once(child, "exit");
  const died = ended.then(() => Promise.reject(new Error("the process of the web ended")));
  died.catch(() => {});
  const answer = async () => (await Promise.race([once(child, "message"), died]))[0];
  const { start } = await answer();
  return {
    start,
    /** How many pages were served so far. */
    pagesServed: async () => {
      child.send("pages");
      return (await answer()).pages;
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
