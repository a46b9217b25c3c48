import type { Attack } from "./attack.ts";
import { ask, withWatchedCrawl } from "./watched-crawl.ts";

/** Files that are there: beside the page, above it, and of the system. */
const PATHS = [
  ...["/../dashboard-server.js", "/vendor/../../check-request.js", "/..%2f..%2fetc/passwd"],
  ...["/%2e%2e/%2e%2e/package.json", "//etc/passwd", "/./app.js", "/vendor/", "/public/app.js"],
  ...["/app.js%00", "/app.js/", "/..\\dashboard-server.js", "/__proto__", "/constructor"],
  ...["/api/files?path=../../", "/api/constructor", "/api/__proto__", "/state/dashboard.json"],
];
const OWN = ["/", "/app.js", "/style.css", "/vendor/uPlot.esm.js", "/icon.svg"];

/** Row W5: nothing but the page's own files is served. */
export const attack: Attack = {
  row: "W5",
  what: "paths that lead out of the page's folder",
  run: ({ program }) =>
    withWatchedCrawl(program, async ({ port, token }) => {
      const problems: string[] = [];
      const headers = { Authorization: `Bearer ${token}` };
      for (const path of PATHS) {
        const { status } = await ask(port, path, { headers });
        if (status !== 404) problems.push(`${path}: ${status}`);
      }
      for (const path of OWN) {
        const { status } = await ask(port, path);
        if (status !== 200) problems.push(`${path}: ${status}`);
      }
      return { figures: { W5: { paths: PATHS.length } }, problems };
    }),
  mutants: [
    {
      name: "a path is a file",
      from: "Object.hasOwn(FILES, path) ? FILES[path] : undefined",
      to: "FILES[path] ?? path.slice(1)",
    },
    {
      name: "names of every object are answers",
      from: "Object.hasOwn(QUESTIONS, path) ? QUESTIONS[path] : undefined",
      to: "QUESTIONS[path] ?? QUESTIONS[path.slice(5)]",
    },
  ],
};
