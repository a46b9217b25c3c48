// How well the main text of a page is found: token F1 on labelled pages, beside defuddle and trafilatura where they are installed.
//
// Labelled pages are made by a script, or are pages of the conformance sites with a rule per template; --pages names a folder
// with html/NAME.html and txt/NAME.txt for more. --python is a Python with trafilatura, --defuddle a folder below which
// defuddle is installed.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { loadTextLibraries } from "../../build/src/text/dom.js";
import { mainContent } from "../../build/src/text/main-content.js";
import { readArguments } from "../support/arguments.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { cpuMicros } from "../support/process-cpu.mjs";
import { conformancePages, folderPages, plainText, syntheticPages } from "./labelled-pages.mjs";

const options = readArguments({
  options: {
    synthetic: { default: 5, smoke: 1, help: "pages of each of the ten layouts" },
    conformance: { default: 17, smoke: 1, help: "pages of each conformance site" },
    pages: { default: "", help: "a folder with more labelled pages" },
    python: { default: "", help: "a Python that has trafilatura" },
    defuddle: { default: "", help: "a folder whose node_modules has defuddle and linkedom" },
  },
  result: "text",
});

const TOKEN =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|[\p{L}\p{N}\p{M}]+/gu;
const tokensOf = (text) => text.toLowerCase().match(TOKEN) ?? [];

/** Harmonic mean of precision and recall over the tokens of two texts, repeats counted. */
function tokenF1(found, truth) {
  const [a, b] = [tokensOf(found), tokensOf(truth)];
  const left = new Map();
  for (const token of b) left.set(token, (left.get(token) ?? 0) + 1);
  let hits = 0;
  for (const token of a) {
    const count = left.get(token) ?? 0;
    if (count === 0) continue;
    hits++;
    left.set(token, count - 1);
  }
  return a.length + b.length === 0 ? 1 : (2 * hits) / (a.length + b.length);
}

const pages = [
  ...syntheticPages(options.synthetic),
  ...conformancePages(options.conformance),
  ...(options.pages === "" ? [] : folderPages(options.pages)),
];
const libraries = await loadTextLibraries();
const extractors = {
  ours: ({ html, url }) => mainContent(libraries, html, url, false) ?? { title: "", text: "" },
  readability({ html }) {
    const article = libraries.read(libraries.parse(html));
    const content = article?.content;
    return { title: article?.title ?? "", text: plainText(content?.innerHTML ?? "") };
  },
};
if (options.defuddle === "") console.log("skipped: defuddle, no --defuddle");
else {
  const load = createRequire(join(options.defuddle, "x.js"));
  const root = join(options.defuddle, "node_modules/defuddle/dist");
  const { DefuddleClass } = load(join(root, "node.js"));
  const { parseLinkedomHTML } = load(join(root, "utils/linkedom-compat.js"));
  extractors.defuddle = ({ html, url }) => {
    // Without async extractors, which would ask other servers.
    const settings = { url, useAsync: false };
    const found = new DefuddleClass(parseLinkedomHTML(html, url), settings).parse();
    return { title: found.title ?? "", text: plainText(found.content) };
  };
}

const scores = {};
const cpuMsPerPage = {};
/** Titles count as content; an extractor that keeps them apart gets them back. Foreign labels have none. */
const whole = ({ set }, { title, text }) =>
  set === "other packages" || text.trimStart().startsWith(title) ? text : `${title}\n${text}`;
for (const [name, extract] of Object.entries(extractors)) {
  const found = [];
  const micros = cpuMicros(() => {
    for (const page of pages) found.push(extract(page));
  });
  cpuMsPerPage[name] = Number((micros / 1000 / pages.length).toFixed(1));
  scores[name] = pages.map((page, i) => tokenF1(whole(page, found[i]), page.text));
}
let trafilatura;
if (options.python === "") console.log("skipped: trafilatura, no --python");
else {
  const script = new URL("./trafilatura_pages.py", import.meta.url).pathname;
  const input = pages.map(({ html, url }) => JSON.stringify({ html, url })).join("\n");
  const output = execFileSync(options.python, [script], { input, maxBuffer: 2 ** 30 }).toString();
  const lines = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { version, cpuSeconds } = lines.pop();
  trafilatura = version;
  cpuMsPerPage.trafilatura = Number(((1000 * cpuSeconds) / pages.length).toFixed(1));
  scores.trafilatura = pages.map((page, i) => tokenF1(whole(page, lines[i]), page.text));
}

const mean = (values) =>
  Number(((100 * values.reduce((a, b) => a + b, 0)) / values.length).toFixed(1));
const table = {};
for (const set of [...new Set(pages.map((page) => page.set)), "all"]) {
  const isIn = pages.map((page) => set === "all" || page.set === set);
  const count = isIn.filter(Boolean).length;
  table[`${set}, ${count} pages`] = Object.fromEntries(
    Object.entries(scores).map(([name, values]) => [name, mean(values.filter((_, i) => isIn[i]))]),
  );
}
console.table(table);
console.table({ "CPU ms per page": cpuMsPerPage });
const all = table[`all, ${pages.length} pages`];
const problems = [];
for (const name of ["readability", "defuddle"])
  if (all[name] > all.ours) problems.push(`${name} alone finds more: ${all[name]} and ${all.ours}`);
if (all.trafilatura - 2 > all.ours)
  problems.push(`trafilatura finds more: ${all.trafilatura} and ${all.ours}`);
if (options.save)
  keepResult("text", { pages: pages.length, tokenF1: table, cpuMsPerPage, trafilatura });
judgeProblems(problems, options);
