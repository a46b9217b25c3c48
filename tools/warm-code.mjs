// Crawls a few made-up pages, so that a crawl's threads have their code caches before the first real one
// (docs/decisions/0040-compiled-code-is-kept.md). A build without caches is whole: its first crawl writes them.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PROFILES } from "../build/src/web/profile.js";
import { startWeb } from "../build/src/web/server.js";

const PAGES = 60;

const program = resolve(import.meta.dirname, "..", "build", "src", "cli", "main.js");
const folder = mkdtempSync(join(tmpdir(), "orbweaver-build-"));
const web = await startWeb({ profile: { ...PROFILES.small, pages: PAGES } });
try {
  // A crawl with one crawler thread has no builder thread: the second one is for that.
  for (const [name, more] of Object.entries({
    alone: ["--threads", "1"],
    built: ["--builders", "1"],
  })) {
    const out = join(folder, name);
    const limits = ["--delay", "0", "--max-pages", String(PAGES - 10), "--quiet", "--out", out];
    const crawl = spawn(process.execPath, [program, "crawl", ...web.start, ...limits, ...more], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const code = await new Promise((done) => crawl.once("exit", done));
    // 3: ended by the limit.
    if (code !== 3 && code !== 0)
      process.stderr.write(`code caches: the crawl ended with ${code}\n`);
  }
} finally {
  await web.close();
  rmSync(folder, { recursive: true, force: true });
}
