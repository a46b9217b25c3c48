// Records a real run in a terminal as an animated SVG: SMIL alone, no script, light and dark.
//
//   node tools/record-terminal.mjs OUT.svg [--columns 80] [--rows 24] [--title TEXT] [--still] -- COMMAND...
//
// tmux is the terminal: the command runs in it, its screen is looked at ten times a second, and every row becomes a few
// texts that are visible for as long as they stood there. With --still only the last screen is kept, and with
// --stop-after SECONDS the screen of that moment.
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    columns: { type: "string", default: "80" },
    rows: { type: "string", default: "24" },
    title: { type: "string", default: "a terminal" },
    prompt: { type: "string", default: "" },
    still: { type: "boolean", default: false },
    "stop-after": { type: "string", default: "600" },
  },
});
const [file, ...command] = positionals;
const columns = Number(values.columns);
const rows = Number(values.rows);

const LOOK_MS = 100;
/** How long the last screen stays before everything begins again. */
const REST_MS = 6000;
const CHAR_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const PADDING = 12;
const DONE = "recording-is-over";

const session = `orbweaver-recording-${process.pid}`;
const tmux = (...args) => execFileSync("tmux", ["-L", session, ...args], { encoding: "utf8" });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Screens with the time since which each stood there, in milliseconds. */
async function record() {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const prompt = values.prompt === "" ? "" : `printf '$ %s\\n' '${values.prompt}'; `;
  const shell = `clear; ${prompt}${quoted}; tmux -L ${session} wait-for -S ${DONE}; sleep 600`;
  const size = ["-x", String(columns), "-y", String(rows)];
  tmux(
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-s",
    session,
    ...size,
    `sh -c "${shell.replaceAll('"', '\\"')}"`,
  );
  try {
    tmux("set-option", "-g", "status", "off");
    let isOver = false;
    const screens = [];
    const startMs = performance.now();
    const maxMs = 1000 * Number(values["stop-after"]);
    const waiting = spawn("tmux", ["-L", session, "wait-for", DONE]);
    waiting.once("exit", () => {
      isOver = true;
    });
    for (let isLast = false; !isLast; ) {
      const nowMs = performance.now() - startMs;
      isLast = isOver || nowMs > maxMs;
      const text = tmux("capture-pane", "-e", "-p", "-t", session).replace(/\n+$/, "");
      const screen = withOwnColours(text.split("\n"));
      if (screens.at(-1)?.rows.join("\n") !== screen.join("\n"))
        screens.push({ atMs: nowMs, rows: screen });
      await pause(LOOK_MS);
    }
    return screens;
  } finally {
    tmux("kill-server");
  }
}

/** A colour that goes on in the next row is not told again there: each row gets the ones that it begins with. */
function withOwnColours(rows) {
  let active = "";
  return rows.map((row) => {
    const own = active + row;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a terminal is told colours by
    for (const [code, codes] of row.matchAll(/\x1b\[([0-9;]*)m/g))
      active = /^0*$/.test(codes) ? "" : active + code;
    return own;
  });
}

const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A row with its colours as spans. */
function spansOf(row) {
  let classes = new Set();
  let out = "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a terminal is told colours by
  for (const part of row.split(/(\x1b\[[0-9;]*m)/)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the same
    const codes = /^\x1b\[([0-9;]*)m$/.exec(part)?.[1];
    if (codes === undefined) {
      const names = [...classes].join(" ");
      const text = escaped(part);
      if (text !== "") out += names === "" ? text : `<tspan class="${names}">${text}</tspan>`;
      continue;
    }
    for (const code of codes.split(";").map(Number)) {
      if (code === 0) classes = new Set();
      else if (code === 22) for (const name of ["b", "d"]) classes.delete(name);
      else if (code === 39) for (const name of ["r", "g", "y", "c"]) classes.delete(name);
      else {
        const name = { 1: "b", 2: "d", 31: "r", 32: "g", 33: "y", 36: "c" }[code];
        if (name !== undefined) classes.add(name);
      }
    }
  }
  return out;
}

const STYLE = `
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328;white-space:pre}
.back{fill:#f6f8fa;stroke:#d1d9e0}.b{font-weight:700}.d{fill:#59636e}.r{fill:#c4232d}.g{fill:#116329}.y{fill:#7d4e00}.c{fill:#0550ae}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.back{fill:#0d1117;stroke:#3d444d}.d{fill:#9198a1}.r{fill:#ff7b72}.g{fill:#3fb950}.y{fill:#d29922}.c{fill:#79c0ff}}`;

function svgOf(screens) {
  const shown = values.still ? screens.slice(-1) : screens;
  const height = Math.max(...shown.map((screen) => screen.rows.length));
  const [w, h] = [
    Math.ceil(columns * CHAR_WIDTH) + 2 * PADDING,
    height * LINE_HEIGHT + 2 * PADDING,
  ];
  const endMs = screens.at(-1).atMs + REST_MS;
  const seconds = (ms) => (ms / 1000).toFixed(1).replace(/\.0$/, "");
  let body = "";
  for (let row = 0; row < height; row++) {
    for (let i = 0; i < shown.length; ) {
      const text = shown[i].rows[row] ?? "";
      let j = i + 1;
      while (j < shown.length && (shown[j].rows[row] ?? "") === text) j++;
      const [fromMs, toMs] = [shown[i].atMs, shown[j]?.atMs ?? endMs];
      i = j;
      if (text.trim() === "") continue;
      const y = PADDING + row * LINE_HEIGHT + 13;
      const always = values.still || (fromMs < LOOK_MS && toMs === endMs);
      const set = always
        ? ""
        : `<set attributeName="visibility" to="visible" begin="all.begin+${seconds(fromMs)}s" dur="${seconds(toMs - fromMs)}s"/>`;
      // The width of the letters of a font is not that of a terminal's columns; this makes it so.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room
      const { length } = text.replace(/\x1b\[[0-9;]*m/g, "").trimEnd();
      const hidden = always ? "" : ' visibility="hidden"';
      body += `<text x="${PADDING}" y="${y}" textLength="${(length * CHAR_WIDTH).toFixed(1)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"${hidden}>${spansOf(text.trimEnd())}${set}</text>\n`;
    }
  }
  const clock = values.still
    ? ""
    : `<rect width="0" height="0"><animate id="all" attributeName="x" from="0" to="0" begin="0s;all.end" dur="${seconds(endMs)}s"/></rect>\n`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img" aria-label="${escaped(values.title)}">
<title>${escaped(values.title)}</title><style>${STYLE}
</style><rect class="back" x=".5" y=".5" width="${w - 1}" height="${h - 1}" rx="8"/>
${clock}${body}</svg>
`;
}

const screens = await record();
const svg = svgOf(screens);
writeFileSync(file, svg);
console.error(`${file}: ${screens.length} screens, ${Math.round(svg.length / 1024)} KiB`);
