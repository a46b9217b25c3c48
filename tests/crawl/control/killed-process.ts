import { Crawl } from "../../../src/crawl/crawl.ts";
import { steeredConfig } from "./steered-web.ts";

// A process that makes changes while it crawls, and is killed the moment the last one has been answered.

const [port, out, threads] = process.argv.slice(2) as [string, string, string];
const crawl = new Crawl(steeredConfig(Number(port), { threads: Number(threads) }), out);

async function changeAndDie(): Promise<void> {
  const { control } = crawl;
  await control.blockHost("b.test");
  await control.setHost("a.test", { delayMs: 20, budget: 1000 });
  await control.setLinksPerThread(3);
  await control.addSeeds(["http://c.test/"]);
  await control.pause();
  process.kill(process.pid, "SIGKILL");
}

process.once("message", () => void changeAndDie());
void crawl.run();
