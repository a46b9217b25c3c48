import { openBrowser, SKIP_WITHOUT_BROWSER } from "../browser/browser.ts";
import type { Attack } from "./attack.ts";
import { runProgram } from "./program-run.ts";
import { ask, comesTrue, type Target, withWatchedCrawl } from "./watched-crawl.ts";

const MARKUP = `<img src=x onerror="document.title='owned'">`;
const ESCAPE = "\u001b]0;owned\u0007";
const TITLE = `${MARKUP.replaceAll("<", "&lt;")} ${ESCAPE} title`;

/** Row W1: titles of strangers are shown as text, in the page and in the terminal. */
export const attack: Attack = {
  row: "W1",
  what: "titles with markup and control characters, javascript: links",
  run: ({ program }) =>
    withWatchedCrawl(
      program,
      async (target) => {
        const problems = [...(await policyProblems(target)), ...(await pageProblems(target))];
        target.kill("SIGINT");
        const { stderr } = await target.ended;
        const { code, stdout } = await runProgram(program, ["search", target.out, "title"]);
        if (code !== 0 || !stdout.includes("img src=x")) problems.push("search does not find it");
        if (hasControls(stdout) || hasControls(stderr)) problems.push("control characters");
        const browser = SKIP_WITHOUT_BROWSER || "looked into a browser";
        return { figures: { W1: { browser } }, problems };
      },
      () => TITLE,
    ),
  mutants: [
    {
      name: "text becomes markup",
      from: "made.textContent = text",
      to: "made.innerHTML = text",
    },
    { name: "no policy", from: "default-src 'self'; base-uri", to: "base-uri" },
    {
      name: "titles go to the terminal as they are",
      from: 'printable(title || "(no title)", 300)',
      to: "title",
    },
  ],
};

async function policyProblems({ port, token }: Target): Promise<string[]> {
  const problems: string[] = [];
  for (const path of ["/", "/app.js", "/metrics", "/nothing", `/api/pages?token=${token}`]) {
    const { headers, body } = await ask(port, path);
    const policy = String(headers["content-security-policy"]);
    if (!policy.startsWith("default-src 'self';")) problems.push(`${path}: policy ${policy}`);
    if (/'unsafe|\bdata:|\*/.test(policy)) problems.push(`${path}: a wide policy, ${policy}`);
    if (headers["x-content-type-options"] !== "nosniff") problems.push(`${path}: may be sniffed`);
    if (path === "/" && /<script(?![^>]*src=)|<style|\son\w+=|\sstyle=/.test(body))
      problems.push("the page has inline code");
  }
  return problems;
}

/** What a browser makes of the page. */
async function pageProblems({ url }: Target): Promise<string[]> {
  if (SKIP_WITHOUT_BROWSER) return [];
  const problems: string[] = [];
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    page.on("console", (message) => {
      if (/Content Security Policy|Uncaught/.test(message.text())) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(url);
    const titles = page.locator("#pages li strong");
    const isShown = await comesTrue(async () => (await titles.count()) > 0);
    const text = isShown ? await titles.first().textContent() : null;
    if (!text?.includes(MARKUP)) problems.push(`a title is shown as ${JSON.stringify(text)}`);
    const made = await page.locator("#pages img, #pages a, #hosts a, [href^=javascript]").count();
    if (made > 0) problems.push(`${made} elements that a page made`);
  } finally {
    await browser.close();
  }
  return problems;
}

function hasControls(text: string): boolean {
  return [...text].some((sign) => sign !== "\n" && (sign < " " || sign === "\u007f"));
}
