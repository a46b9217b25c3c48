// One adder in a process of its own: node run-adder.mjs NAME FOLDER URL-FILE PAGE-LINKS WARM-PAGES
// Prints the CPU time of the adding alone (user and system, all threads) and how many URLs were kept.
import { readFileSync } from "node:fs";
import { ADDERS } from "./adders.mjs";

const [name, folder, file, pageLinks, warmPages] = process.argv.slice(2);
const bytes = readFileSync(file);
let at = 0;

/** The next page's links: flat strings, as a parser makes them. */
function nextPage() {
  const urls = [];
  for (let i = 0; i < Number(pageLinks) && at < bytes.length; i++) {
    const end = bytes.indexOf(10, at);
    urls.push(bytes.toString("latin1", at, end));
    at = end + 1;
  }
  return urls;
}

let micros = 0;
async function timed(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  micros += user + system;
}

const adder = await ADDERS[name].open(folder);
let measured = 0;
for (let page = 0; at < bytes.length; page++) {
  const urls = nextPage();
  const parent = urls[0];
  if (page === Number(warmPages)) micros = measured = 0;
  await timed(() => adder.addPage(urls, parent));
  measured += urls.length;
}
await timed(() => adder.close());
const rss = process.memoryUsage.rss();
console.log(JSON.stringify({ micros, measured, kept: await adder.kept(), rss }));
process.exit(0);
