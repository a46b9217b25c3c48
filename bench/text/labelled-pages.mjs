// Pages whose main content is known: made here, or pages of the conformance sites with the rule of their template.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "parse5";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SITES = join(ROOT, "../shared/conformance/sites");

/**
 * What belongs to the main content of a page of each conformance site, read off their templates by hand: everything in
 * `main` (an id or a class; the body without one) but what `without` names.
 */
const RULES = {
  cppreference: {
    main: ["mw-content-text"],
    without: ["t-navbar", "editsection", "toc", "catlinks", "noprint"],
    also: ["firstHeading"],
  },
  postgresql15: { without: ["navheader", "navfooter"] },
  sqlite3: { without: ["nosearch", "searchmenu", "menu"] },
};

const SILENT = new Set(["script", "style", "noscript", "template", "head", "svg", "select"]);
const INLINE = new Set(
  "a abbr acronym b bdi big cite code del dfn em font i ins kbd mark q s samp small span strong sub sup tt u var wbr".split(
    " ",
  ),
);

/** The text of a fragment of HTML. */
export function plainText(html) {
  return textOf(
    html,
    (_names, tag) => tag === "body",
    () => false,
  );
}

/** The text of the elements that `isMain` admits, without those that `isOut` refuses; blocks end words. */
function textOf(html, isMain, isOut) {
  const parts = [];
  const walk = (node, inside) => {
    if (node.nodeName === "#text" && inside) parts.push(node.value);
    if (SILENT.has(node.nodeName)) return;
    const names = (node.attrs ?? [])
      .filter(({ name }) => name === "id" || name === "class")
      .flatMap(({ value }) => value.split(/\s+/));
    if (isOut(names)) return;
    const isIn = inside || isMain(names, node.nodeName);
    if (!INLINE.has(node.nodeName)) parts.push("\n");
    for (const child of node.childNodes ?? []) walk(child, isIn);
    if (!INLINE.has(node.nodeName)) parts.push("\n");
  };
  walk(parse(html), false);
  return parts.join("");
}

/** `each` pages of every conformance site, spread over its files. */
export function conformancePages(each) {
  if (!existsSync(SITES)) {
    console.log(`skipped: conformance pages, ${SITES} is not there`);
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), "labelled-"));
  try {
    return Object.entries(RULES).flatMap(([site, { main, without, also = [] }]) => {
      execFileSync("tar", ["xJf", join(SITES, `${site}.tar.xz`), "-C", folder]);
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".html"))
        .sort();
      const pages = [];
      for (let i = 0; pages.length < each && i < files.length; i++) {
        const file = files[Math.floor(((i + 0.5) * files.length) / (each + 8))];
        if (file === undefined) break;
        const html = readFileSync(join(folder, file), "utf8");
        const wanted = main === undefined ? undefined : new Set([...main, ...also]);
        const isMain = (names, tag) =>
          wanted === undefined ? tag === "body" : names.some((name) => wanted.has(name));
        const out = new Set(without);
        const text = textOf(html, isMain, (names) => names.some((name) => out.has(name)));
        // Redirects and empty stubs have no content to find.
        if (text.split(/\s+/).length < 60) continue;
        pages.push({ set: site, name: file, url: `https://${site}.example/${file}`, html, text });
      }
      rmSync(folder, { recursive: true, force: true });
      execFileSync("mkdir", ["-p", folder]);
      return pages;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Pages with a text beside each, as packages ship them: html/NAME.html and txt/NAME.txt. */
export function folderPages(folder) {
  return readdirSync(join(folder, "txt")).flatMap((file) => {
    const name = basename(file, ".txt");
    const page = join(folder, "html", `${name}.html`);
    if (!existsSync(page)) return [];
    const text = readFileSync(join(folder, "txt", file), "utf8");
    const html = readFileSync(page, "utf8");
    return [{ set: "other packages", name, url: `https://news.example/${name}`, html, text }];
  });
}

/** A generator of numbers from 0 to 1 that always gives the same ones. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Paragraphs of our own prose: decisions of this project that no longer change. */
function prose() {
  const folder = join(ROOT, "docs/decisions");
  return readdirSync(folder)
    .filter((file) => file < "0042")
    .sort()
    .flatMap((file) => readFileSync(join(folder, file), "utf8").split(/\n\s*\n/))
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .filter((paragraph) => /^[A-Z]/.test(paragraph) && paragraph.length > 80)
    .map((paragraph) => paragraph.replace(/[`*]|\[|\]\([^)]*\)/g, ""));
}

const escapeHtml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The content of a page as blocks; each knows its markup and its text. */
function contentOf(random, paragraphs, blocks) {
  const pick = () => paragraphs[Math.floor(random() * paragraphs.length)];
  const words = (n) => pick().split(" ").slice(0, n).join(" ");
  const made = [];
  for (let i = 0; i < blocks; i++) {
    const kind = random();
    if (kind < 0.6 || i === 0) {
      const text = pick();
      const at = text.indexOf(" ", 20);
      made.push({
        html: (p) =>
          `<${p}>${escapeHtml(text.slice(0, at))} <a href="/see/${i}">${escapeHtml(text.slice(at + 1, at + 12))}</a>${escapeHtml(text.slice(at + 12))}</${p}>`,
        text,
      });
    } else if (kind < 0.75) {
      const text = words(5);
      made.push({ html: () => `<h2>${escapeHtml(text)}</h2>`, text });
      const more = pick();
      made.push({ html: (p) => `<${p}>${escapeHtml(more)}</${p}>`, text: more });
    } else if (kind < 0.85) {
      const items = Array.from({ length: 4 }, () => words(9));
      made.push({
        html: () => `<ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join("")}</ul>`,
        text: items.join("\n"),
      });
    } else if (kind < 0.93) {
      const rows = Array.from({ length: 4 }, () => [words(2), words(6), String(i * 7)]);
      made.push({
        html: () =>
          `<table><tr><th>Name</th><th>Meaning</th><th>Value</th></tr>${rows
            .map((row) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("")}</tr>`)
            .join("")}</table>`,
        text: `Name Meaning Value\n${rows.map((row) => row.join(" ")).join("\n")}`,
      });
    } else {
      const code = `function step${i}(queue) {\n  if (queue.length < ${i}) return;\n  queue.push(${i});\n}`;
      made.push({ html: () => `<pre><code>${escapeHtml(code)}</code></pre>`, text: code });
    }
  }
  return made;
}

const menu = (random, n, tag = "li") =>
  Array.from(
    { length: n },
    (_, i) =>
      `<${tag}><a href="/section/${i}">${["News", "Products", "Docs", "Support", "Company", "Careers", "Blog", "Contact"][Math.floor(random() * 8)]} ${i}</a></${tag}>`,
  ).join("");
const teasers = (random, paragraphs, n, tag) =>
  Array.from({ length: n }, (_, i) => {
    const text = paragraphs[Math.floor(random() * paragraphs.length)];
    return `<${tag} class="card"><h3><a href="/other/${i}">${escapeHtml(text.split(" ").slice(0, 6).join(" "))}</a></h3><p>${escapeHtml(text.split(" ").slice(0, 18).join(" "))} …</p></${tag}>`;
  }).join("");
const FOOT = "© 2026 Example Company. All rights reserved. Terms of use. Privacy policy. Imprint.";
const COOKIES =
  "We use cookies to improve your visit. By going on you accept them. Accept all. Settings.";

/** Layouts as the web has them: from pages that name their parts to tables of the nineties. */
const TEMPLATES = {
  semantic: ({ title, body, random, paragraphs }) =>
    `<header><nav><ul>${menu(random, 8)}</ul></nav></header><main><article><h1>${title}</h1>${body("p")}</article></main><aside><h2>Read next</h2>${teasers(random, paragraphs, 4, "div")}</aside><footer><p>${FOOT}</p></footer>`,
  blog: ({ title, body, random, paragraphs }) =>
    `<div id="page"><div class="site-header"><a href="/">A blog about crawling</a><ul class="menu">${menu(random, 6)}</ul></div><div class="content-area"><div class="post"><h1 class="entry-title">${title}</h1><div class="entry-meta">Posted on May 3, 2026 by <a rel="author" href="/a">Ada Example</a></div><div class="entry-content">${body("p")}</div><div class="share-buttons"><a href="#">Share</a> <a href="#">Tweet</a> <a href="#">Mail</a></div></div><div class="related-posts"><h2>Related posts</h2>${teasers(random, paragraphs, 3, "div")}</div></div><div class="sidebar widget-area"><h3>Archives</h3><ul>${menu(random, 12)}</ul></div><div class="site-footer">${FOOT}</div></div>`,
  documentation: ({ title, body, random }) =>
    `<div class="topbar">${menu(random, 5, "span")}</div><div class="layout"><div class="toc-sidebar"><ul>${menu(random, 40)}</ul></div><div class="doc-body"><h1>${title}</h1>${body("p")}<div class="pager"><a href="/prev">Previous</a> <a href="/next">Next</a></div></div></div><div class="footer">${FOOT}</div>`,
  tables: ({ title, body, random }) =>
    `<table width="100%"><tr><td colspan="2" bgcolor="#cccccc"><font size="2">${menu(random, 7, "b")}</font></td></tr><tr><td width="150" valign="top">${menu(random, 10, "div")}</td><td valign="top"><h1>${title}</h1>${body("p")}</td></tr><tr><td colspan="2"><font size="1">${FOOT}</font></td></tr></table>`,
  bare: ({ title, body, random }) =>
    `<div>${menu(random, 9, "span")}</div><div><div><h1>${title}</h1>${body("div")}</div></div><div><div>${FOOT}</div></div>`,
  forum: ({ title, body, random, paragraphs }) =>
    `<div class="navbar"><ul>${menu(random, 6)}</ul></div><h1>${title}</h1><div class="question"><div class="post-text">${body("p")}</div><div class="votes">12 votes</div></div><div class="hot-questions"><h4>Hot questions</h4><ul>${menu(random, 14)}</ul>${teasers(random, paragraphs, 2, "div")}</div><div id="footer">${FOOT}</div>`,
  shop: ({ title, body, random, paragraphs }) =>
    `<div class="cookie-banner">${COOKIES}</div><nav class="breadcrumb"><a href="/">Home</a> / <a href="/c">Category</a></nav><div class="product"><h1>${title}</h1><div class="product-description">${body("p")}</div><button>Add to basket</button></div><section class="recommendations"><h2>Customers also bought</h2>${teasers(random, paragraphs, 5, "article")}</section><footer><ul>${menu(random, 16)}</ul>${FOOT}</footer>`,
  news: ({ title, body, random, paragraphs }) =>
    `<div class="cookie-consent" role="dialog">${COOKIES}</div><header class="masthead"><ul>${menu(random, 12)}</ul></header><div class="ad">Advertisement</div><main id="main"><h1>${title}</h1><p class="byline">By Ada Example, 3 May 2026</p>${body("p")}<div class="newsletter-signup"><h3>Get our newsletter</h3><p>Every morning in your inbox. No spam.</p><form><input type="email"><button>Subscribe</button></form></div></main><section class="most-read"><h2>Most read</h2><ol>${menu(random, 10)}</ol></section><section class="more-stories">${teasers(random, paragraphs, 6, "article")}</section><footer>${FOOT}</footer>`,
  breaks: ({ title, breaks, random }) =>
    `<center>${menu(random, 6, "b")}</center><hr><h2>${title}</h2>${breaks}<hr><small>${FOOT}</small>`,
  short: ({ title, short, random, paragraphs }) =>
    `<header><nav>${menu(random, 10, "span")}</nav></header><main><h1>${title}</h1><p>${short}</p></main><aside>${teasers(random, paragraphs, 5, "div")}</aside><footer>${FOOT}</footer>`,
};

/** `each` pages of every layout; what is made with the same number is the same. */
export function syntheticPages(each) {
  const paragraphs = prose();
  return Object.entries(TEMPLATES).flatMap(([template, layOut], t) =>
    Array.from({ length: each }, (_, i) => {
      const random = seeded(1000 * t + i + 1);
      const blocks = contentOf(random, paragraphs, 4 + Math.floor(random() * 12));
      const title = paragraphs[Math.floor(random() * paragraphs.length)]
        .split(" ")
        .slice(0, 7)
        .join(" ");
      const plain = blocks.map(({ text }) => text);
      const only = { breaks: plain, short: [plain[0]] }[template] ?? blocks.map(({ text }) => text);
      const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)} - Example</title></head><body>${layOut(
        {
          title: escapeHtml(title),
          body: (tag) => blocks.map(({ html }) => html(tag)).join("\n"),
          breaks: plain.map((text) => escapeHtml(text).replaceAll("\n", "<br>")).join("<br><br>"),
          short: escapeHtml(plain[0]),
          random,
          paragraphs,
        },
      )}</body></html>`;
      const name = `${template}-${i}`;
      const text = [title, ...only].join("\n");
      return { set: "synthetic", name, url: `https://${template}.example/${i}`, html, text };
    }),
  );
}
