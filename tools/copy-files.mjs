// Copies what is read at run time and not compiled: the page of the dashboard with its chart library, and a protocol.
import { copyFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { root, src } from "./bundling.mjs";

// Plain modules, and the chart library as its package has it.
const page = join("dashboard", "public");
cpSync(join(root, "src", page), join(src, page), { recursive: true });
for (const [from, to] of [
  ["dist/uPlot.esm.js", "uPlot.esm.js"],
  ["dist/uPlot.min.css", "uPlot.min.css"],
  ["LICENSE", "uPlot.LICENSE.txt"],
])
  cpSync(join(root, "node_modules", "uplot", from), join(src, page, "vendor", to));

const protocol = join("urlfrontier", "urlfrontier.proto");
copyFileSync(join(root, "src", protocol), join(src, protocol));
