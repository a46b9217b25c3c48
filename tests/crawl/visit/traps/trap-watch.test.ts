import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedEvidence } from "../../../../src/crawl/visit/traps/shared-evidence.ts";
import { TrapWatch } from "../../../../src/crawl/visit/traps/trap-watch.ts";
import { shapeOf } from "../../../../src/crawl/visit/traps/url-shape.ts";
import type { Lease } from "../../../../src/frontier/frontier.ts";
import { parsePage } from "../../../../src/parse/page.ts";
import { giveBackMemory } from "../../../../src/runtime/collect-garbage.ts";
import type { CrawlUrl } from "../../../../src/url/crawl-url.ts";
import { hostnameOf } from "../../../../src/url/url-parts.ts";

const NOW = Date.UTC(2026, 10, 16);
const HOST = "http://h.example";

/** What the watch asks of a lease. */
function leaseOf(url: CrawlUrl, parent?: CrawlUrl, depth = 0): Lease {
  return { url, parent, depth, host: { name: hostnameOf(url) } } as Lease;
}

/** A web of one host: the HTML of a path. */
type Web = (path: string) => string;

interface Walk {
  readonly fetched: number;
  readonly refused: number;
  readonly reasons: ReadonlySet<string>;
  readonly demoted: number;
}

/** Crawls a web in memory, breadth first, with a real watch and the real parser; at most `limit` pages. */
function walk(
  web: Web,
  limit: number,
  headerLinks: (path: string) => string[] = () => [],
  watches: readonly TrapWatch[] = [new TrapWatch(NOW)],
): Walk {
  const known = new Set([`${HOST}/`]);
  type Item = { url: CrawlUrl; parent: CrawlUrl | undefined; depth: number };
  const queue: Item[] = [{ url: `${HOST}/` as CrawlUrl, parent: undefined, depth: 0 }];
  const reasons = new Set<string>();
  let [fetched, refused, demoted] = [0, 0, 0];
  for (let at = 0; at < queue.length && fetched < limit; at++) {
    const { url, parent, depth } = queue[at]!;
    const watch = watches[noise(at) % watches.length]!;
    const state = watch.state(url, parent);
    if (state === "demoted") demoted++;
    else if (state !== "free") {
      reasons.add(state);
      refused++;
      continue;
    }
    fetched++;
    const body = Buffer.from(web(url.slice(HOST.length)));
    const page = parsePage(body, url);
    const header = headerLinks(url.slice(HOST.length)).map((path) => `${HOST}${path}` as CrawlUrl);
    watch.page(leaseOf(url, parent, depth), page, body, header);
    for (const link of [...page.links, ...header]) {
      if (!link.startsWith(`${HOST}/`) || known.has(link)) continue;
      known.add(link);
      queue.push({ url: link, parent: url, depth: depth + 1 });
    }
  }
  return { fetched, refused, reasons, demoted };
}

/** A trap must end on its own, before 5,000 pages, with this reason, and be demoted before. */
function isTrap(
  name: string,
  reason: string,
  web: Web,
  headerLinks?: (path: string) => string[],
): void {
  test(`trap: ${name} ends as ${reason}`, () => {
    const watch = new TrapWatch(NOW);
    const { fetched, reasons, demoted } = walk(web, 20_000, headerLinks, [watch]);
    assert.ok(fetched <= 5000, `${fetched} pages were fetched`);
    assert.ok(reasons.has(reason), `it ended as ${[...reasons]}`);
    assert.ok(demoted > 0, "it was demoted before it was stopped");
    const verdicts = watch.takeVerdicts();
    assert.ok(verdicts.length > 0 && watch.takeVerdicts().length === 0, "told once");
    const later = new TrapWatch(NOW);
    for (const verdict of verdicts) later.learn(verdict);
    const again = walk(web, 20_000, headerLinks, [later]);
    assert.ok(again.fetched <= fetched / 3, `a later run fetched ${again.fetched} of ${fetched}`);
    assert.deepEqual(later.takeVerdicts(), [], "what is known is not told again");
  });
}

/** An honest web must be fetched to its last page. */
function isHonest(name: string, pages: number, web: Web): void {
  test(`honest: ${name}, ${pages} pages`, () => {
    const { fetched, refused, reasons } = walk(web, pages + 1);
    assert.deepEqual([fetched, refused, [...reasons]], [pages, 0, []]);
  });
}

const link = (href: string) => `<a href="${href}">x</a>`;
const number = (path: string) => Number(/\d+/.exec(path)?.[0] ?? 0);

/** A number that looks random and depends on its arguments alone. */
function noise(...values: number[]): number {
  let hash = 0x9e3779b9;
  for (const value of values) hash = Math.imul(hash ^ value, 0x85ebca6b) ^ (hash >>> 13);
  return hash >>> 0;
}
const token = (...values: number[]) =>
  [...values, 1].map((value, i) => noise(value, i, 7).toString(16).padStart(8, "0")).join("");

const MONTHS = ["January", "February", "March", "April", "May", "June", "July"];
const WORDS = ["loom", "river", "stone", "cloud", "maple", "ember", "quill", "harbor", "tinder"];
const sentence = (n: number) =>
  Array.from({ length: 12 }, (_, i) => WORDS[noise(n, i) % WORDS.length]).join(" ");

isTrap("the next day, for ever", "trap_endless", (path) => {
  const day = number(path);
  return `<title>Day ${day}</title>${MONTHS[day % 7]} has no events${link(`/cal?d=${day + 1}`)}`;
});

isTrap("months with days, earlier and later, for ever", "trap_calendar", (path) => {
  const [, year, month, day] = /(\d{4})\/(\d+)(?:\/(\d+))?/.exec(path) ?? ["", "2026", "11"];
  const [y, m] = [Number(year), Number(month)];
  if (day !== undefined)
    return `<title>${y}-${m}-${day}</title>nothing on this day${link(`/c/${y}/${m}`)}`;
  const days = Array.from({ length: 28 }, (_, i) => link(`/c/${y}/${m}/${i + 1}`)).join("");
  const month12 = (at: number) => `/c/${Math.floor(at / 12)}/${(at % 12) + 1}`;
  const at = y * 12 + m - 1;
  return `<title>${y}-${m}</title>${days}${link(month12(at + 1))}${link(month12(at - 1))}${link(`/c/${y + 1}/${m}`)}`;
});

isTrap("years to come", "trap_calendar", (path) => {
  const year = Number(/year=(\d+)/.exec(path)?.[1] ?? 2026);
  return `<title>${year}</title>the year ${year}${link(`/?year=${year + 1}`)}${link(`/?year=${year - 1}`)}`;
});

isTrap(
  "a folder inside itself",
  "trap_repeated_path",
  (path) => `<title>t</title>${path.length}${link("a/")}`,
);

isTrap("two folders inside each other", "trap_repeated_path", (path) =>
  link(path.endsWith("/x/") ? "y/" : "x/"),
);

isTrap("a path that only grows", "trap_deep_path", (path) => {
  const depth = path.split("/").length;
  return `${sentence(depth)}${link(`${WORDS[noise(depth, 1) % 9]}${depth}/`)}`;
});

isTrap("a session id in the path", "trap_same_content", (path) => {
  const [, session, page] = /\/s\/(\w+)\/p(\d)/.exec(path) ?? ["", "", "0"];
  const seed = noise(
    session!.length,
    Number.parseInt(session!.slice(0, 7) || "0", 16),
    Number(page),
  );
  const links = Array.from({ length: 5 }, (_, i) => link(`/s/${token(seed, i)}/p${i}`));
  return `<title>Shop ${page}</title>${links.join("")}`;
});

isTrap("a session number in the path", "trap_same_content", (path) => {
  const [session, page] = [number(path), Number(/p(\d)/.exec(path)?.[1] ?? 0)];
  const links = Array.from({ length: 4 }, (_, i) => link(`/${noise(session, page, i)}/p${i}`));
  return `<title>Shop</title>${links.join("")}`;
});

isTrap("a session id in the query", "trap_same_content", (path) => {
  const seed = noise(Number.parseInt(/sid=(\w{7})/.exec(path)?.[1] ?? "0", 16));
  return `<title>Home</title>${link(`/home?sid=${token(seed)}`)}${link(`/cart?sid=${token(seed, 2)}`)}`;
});

isTrap(
  "the same bytes in folders of folders",
  "trap_growing_path",
  () => `<title>Welcome</title>${["one/", "two/", "three/"].map(link).join("")}`,
);

isTrap(
  "folders of two names inside each other, each page named after its path",
  "trap_growing_path",
  (path) => {
    return `<title>${path}</title>${path.length}${link("a/")}${link("b/")}`;
  },
);

isTrap(
  "a number and a session id in the path, and the path in the title",
  "trap_endless",
  (path) => {
    const next = number(path) + 1;
    const session = noise(next).toString(16).padStart(8, "0");
    const links = ["page", "other"].map((page) => link(`/s${next}/sid=${session}/${page}`));
    return `<title>${path}</title>${links.join("")}`;
  },
);

isTrap(
  "one body under all URLs, most of which lead nowhere new; the way on stands in the head",
  "trap_same_content",
  () => `<title>same</title>${Array.from({ length: 50 }, (_, i) => link(`?n=${i}`)).join("")}`,
  (path) => [1, 2].map((step) => `/x/${(number(path) * 2 + step) % 1_000_000}`),
);

isTrap("every combination of filters", "trap_query", (path) => {
  const chosen = new Map(
    [...path.matchAll(/(\w)=(\d+)/g)].map(([, key, value]) => [key!, Number(value)]),
  );
  const base = "abcde".split("").map((key) => [key, chosen.get(key) ?? 0] as const);
  const links = base.map(([key]) => {
    const query = base.map(([other, value]) => `${other}=${other === key ? value + 1 : value}`);
    return link(`/find?${query.join("&")}`);
  });
  return `<title>${sentence(noise(...base.map(([, value]) => value)))}</title>${links.join("")}`;
});

isHonest("numbered pages that say only their number, linked as a tree", 12_000, (path) => {
  const n = path === "/" ? 1 : number(path);
  const next = [2 * n, 2 * n + 1].filter((child) => child <= 12_000);
  return `<title>Page ${n}</title>${next.map((child) => link(`/page/${child}`)).join("")}`;
});

isHonest("pages without any text, each linking to eight others", 9_000, (path) => {
  const n = path === "/" ? 0 : number(path);
  const next = Array.from({ length: 8 }, (_, i) => 8 * n + i + 1).filter((child) => child < 9_000);
  return next.map((child) => link(`/n${child}.html`)).join("");
});

isHonest("a forum: every post different, all on one script", 9_000, (path) => {
  const n = path === "/" ? 0 : number(path);
  const next = Array.from({ length: 6 }, (_, i) => 6 * n + i + 1).filter((child) => child < 9_000);
  return `<title>${sentence(n)}</title>${sentence(n + 1e6)}${next.map((child) => link(`/view.php?t=${child}`)).join("")}`;
});

isHonest("an archive of days with news, leafed through one by one", 6_000, (path) => {
  const day = Number(/\?day=(\d+)/.exec(path)?.[1] ?? 0);
  const [y, m, d] = new Date(Date.UTC(1990, 0, 1 + day)).toISOString().slice(0, 10).split("-");
  return `<title>${sentence(day)} ${y}/${m}/${d}</title>${sentence(day * 3)}${day < 5_999 ? link(`/${y}/${m}/${d}?day=${day + 1}`) : ""}`;
});

isHonest("a list in pages, each with its articles", 11_000, (path) => {
  if (path.startsWith("/a/")) return `<title>${sentence(number(path))}</title>${link("/")}`;
  const page = number(path);
  const articles = Array.from({ length: 10 }, (_, i) => link(`/a/${page * 10 + i}`)).join("");
  return `<title>List, page ${page}</title>${articles}${page < 999 ? link(`/list?page=${page + 1}`) : ""}`;
});

isHonest("sections of items that differ in their numbers only", 8_081, (path) => {
  const [, section, item] = /^\/section\/(\d+)\/(?:item\/(\d+)\/)?$/.exec(path) ?? [];
  if (section === undefined)
    return Array.from({ length: 80 }, (_, i) => link(`/section/${i}/`)).join("");
  if (item !== undefined) return `<title>Item ${item} of section ${section}</title>`;
  const items = Array.from({ length: 100 }, (_, i) => link(`item/${i}/`));
  return `<title>Section ${section}</title>${items.join("")}`;
});

isHonest("ten versions of one manual", 8_971, (path) => {
  const [, version, at] = /^\/v(\d+)\/(?:s(\d+)\/)?(?:p(\d+)\.html)?$/.exec(path) ?? [];
  if (version === undefined) return Array.from({ length: 10 }, (_, i) => link(`/v${i}/`)).join("");
  const page = path.split("/").at(-1)!;
  const to = (text: string) => `${text}${link(`/v${version}/`)}${link(`/v${version}/s1/`)}`;
  if (page !== "") return `<title>${sentence(number(page))}</title>${to(sentence(7))}`;
  const section = at === undefined ? -1 : Number(at);
  const inside = Array.from({ length: section < 0 ? 28 : 31 }, (_, i) =>
    link(section < 0 ? `s${i}/` : `p${section * 31 + i}.html`),
  );
  return `<title>Manual ${sentence(section + 50)}</title>${to(inside.join(""))}`;
});

isHonest("one login page in the place of many profiles", 4_001, (path) => {
  if (path !== "/") return "<title>Please log in</title><a href=/>home</a>";
  return Array.from({ length: 4_000 }, (_, i) => link(`/user/${i}`)).join("");
});

const sessions: Web = (path) => {
  const seed = noise(Number.parseInt(/\/s\/(\w{7})/.exec(path)?.[1] ?? "0", 16));
  return `<title>Shop</title>${[1, 2].map((n) => link(`/s/${token(seed, n)}/x`)).join("")}`;
};

test("threads that share the pages of a host share their evidence; alone, none would find out", () => {
  const shared = new SharedEvidence();
  const together = [1, 2, 3, 4].map(() => new TrapWatch(NOW, shared));
  const { fetched, reasons } = walk(sessions, 6000, undefined, together);
  assert.ok(fetched <= 1500, `${fetched} pages were fetched`);
  assert.deepEqual([...reasons], ["trap_same_content"]);
  const apart = [1, 2, 3, 4].map(() => new TrapWatch(NOW));
  assert.equal(walk(sessions, 6000, undefined, apart).fetched, 6000);
});

test("a trap ends although a page of each of 200 other large hosts is read between any two of its own", () => {
  const watch = new TrapWatch(NOW);
  const body = Buffer.from("<title>t</title>");
  const page = parsePage(body, "http://a/" as CrawlUrl);
  // Links are read when they are asked for, by a getter that a copy would not have.
  const withTitle = (title: string) => Object.create(page, { title: { value: title } });
  const others = Array.from({ length: 200 }, (_, i) => `http://other${i}.example/` as CrawlUrl);
  let round = 0;
  const among: Web = (path) => {
    const title = sentence(round++);
    for (const url of others) {
      watch.page(leaseOf(url), withTitle(title), body);
    }
    return sessions(path);
  };
  const { fetched, reasons } = walk(among, 1500, undefined, [watch]);
  assert.ok(fetched < 1500, "it was not stopped");
  assert.deepEqual([...reasons], ["trap_same_content"]);
  assert.deepEqual(new Set(others.map((url) => watch.state(url, undefined))), new Set(["free"]));
});

test("the watch of thirty thousand hosts stays small", () => {
  const watch = new TrapWatch(NOW);
  const page = parsePage(Buffer.from("<title>t</title>"), "http://a/" as CrawlUrl);
  giveBackMemory();
  const before = process.memoryUsage();
  for (let i = 0; i < 30_000; i++) {
    const url = `http://h${i}.example/` as CrawlUrl;
    watch.page(leaseOf(url), page, Buffer.from("x"));
  }
  // 200 large hosts, each with many families that nothing speaks against.
  for (let i = 0; i < 200 * 200; i++) {
    const [a, b, c] = [1, 9, 81].map((step) => WORDS[Math.floor(i / 200 / step) % 9]);
    const url = `http://large${i % 200}.example/${a}-${b}-${c}/x` as CrawlUrl;
    watch.page(leaseOf(url, url, 1), page, Buffer.from("x"));
  }
  giveBackMemory();
  const after = process.memoryUsage();
  const apart = after.arrayBuffers - before.arrayBuffers;
  const grown = after.heapUsed - before.heapUsed + apart;
  assert.ok(grown < 96 * 1024 * 1024, `${Math.round(grown / 2 ** 20)} MiB`);
  // Three tables of prints for all of them, and nothing per host or family.
  assert.ok(apart < 6 * 1024 * 1024, `${(apart / 2 ** 20).toFixed(1)} MiB in arrays`);
  assert.equal(watch.state("http://large0.example/" as CrawlUrl, undefined), "free");
});

test("the shapes of URLs", () => {
  const shape = (path: string) => shapeOf(`${HOST}${path}` as CrawlUrl);
  const patterns: [string, string][] = [
    ["/", "/"],
    ["/a/b", "/a/"],
    ["/a/page17.html", "/a/page#.html"],
    ["/a/17/b", "/a/*"],
    ["/s/3f2a9c81d0/x", "/s/*"],
    ["/s/deadbeef/x", "/s/deadbeef/"],
    ["/a;jsessionid=1/b", "/*"],
    ["/(S(abc))/x.aspx", "/*"],
    ["/view.php?t=1", "/view.php?"],
    ["/a/a/a/b", "/a/"],
    ["/windows-2000-server", "/windows-#-server"],
  ];
  for (const [path, pattern] of patterns) assert.equal(shape(path).pattern, pattern, path);
  const repeats: [string, number][] = [
    ["/a/b/c", 1],
    ["/a/a", 2],
    ["/a/a/a/a/", 4],
    ["/x/a/b/a/b/a/b/a/b", 4],
    ["////", 1],
    ["/1/2/3/1/2/3", 2],
  ];
  for (const [path, count] of repeats) assert.equal(shape(path).repeats, count, path);
  const years: [string, number | undefined][] = [
    ["/2031/05/12", 2031],
    ["/x?date=2031-05-12", 2031],
    ["/20310512.html", 2031],
    ["/?year=1950&x", 1950],
    ["/item/2031", undefined],
    ["/p/12345678901", undefined],
  ];
  for (const [path, year] of years) assert.equal(shape(path).year, year, path);
});
