import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROFILES } from "../src/web/profile.ts";
import { startWeb } from "../src/web/server.ts";
import { root } from "./support/conformance.ts";
import { collect, tempFolder } from "./support/orbweaver.ts";

/** What is published. */
const MAIN = join(root, "build/package/cli/main.js");

const recipes = [
  ...readFileSync(join(root, "docs/recipes.md"), "utf8").matchAll(
    /^## (\d+\. .+)\n\n```sh\n([\s\S]*?)```/gm,
  ),
].map(([, title, commands]) => [title!, commands!] as const);

test("there are twelve recipes", () => {
  assert.deepEqual(
    recipes.map(([title]) => Number.parseInt(title, 10)),
    Array.from({ length: 12 }, (_, i) => i + 1),
  );
});

for (const [title, commands] of recipes) {
  test(`recipe ${title}`, async (t) => {
    const web = await startWeb({ profile: { ...PROFILES.small, hosts: 1, pages: 60 } });
    t.after(() => web.close());
    const folder = tempFolder(t);
    const script = commands
      .replaceAll("npx orbweaver", `"${process.execPath}" "${MAIN}"`)
      .replaceAll("http://127.0.0.1:8080", new URL(web.start[0]!).origin);
    const shell = spawn("bash", ["-euo", "pipefail", "-c", script], { cwd: folder });
    const { code, stdout, stderr } = await collect(shell).ended;
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    if (commands.includes(" crawl ")) {
      const crawls = readdirSync(join(folder, "crawls"));
      for (const crawl of crawls) {
        const lines = readFileSync(join(folder, "crawls", crawl, "pages/pages.jsonl"), "utf8");
        assert.ok(lines.trim().split("\n").length > 1, `${crawl} has no page`);
      }
    }
  });
}
