import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
const END = ".bench.mjs";

/** Every bench by its name, such as frontier/seen: its file and the first line of its comment. */
export function listBenches() {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(END) && !file.includes("node_modules"))
    .sort();
  return new Map(
    files.map((file) => {
      const [first] = readFileSync(folder + file, "utf8").split("\n");
      const name = file.slice(0, -END.length).replaceAll("\\", "/");
      return [name, { file: folder + file, about: first.replace(/^\/\/ /, "") }];
    }),
  );
}

/** Benches measure what was built. */
export function checkBuild() {
  if (existsSync(fileURLToPath(new URL("../../build/src/cli/main.js", import.meta.url)))) return;
  console.error("nothing is built yet: npm run build");
  process.exit(2);
}
