/** Colours of series that can be told apart by most people, on white and on black. */
const LIGHT = [
  ...["#0b62a4", "#c4391d", "#1b7f4b", "#8a4fb5", "#b26a00", "#00818a", "#a3195b", "#5c5c5c"],
  ...["#6b7a00", "#3b4cc0"],
];
const DARK = [
  ...["#6db3f2", "#ff8a70", "#6fd39b", "#c9a0ee", "#f5b041", "#4fd1d9", "#f48fb8", "#b8b8b8"],
  ...["#c6d43c", "#9aa8ff"],
];

/** How many series have a colour of their own; more of them begin anew. */
export const COLOURS = LIGHT.length;

const series = (colours: readonly string[]) =>
  colours.map((c, i) => `.ow-l${i}{stroke:${c}}.ow-f${i}{fill:${c}}`).join("");

const page = (ground: string, text: string, soft: string, grid: string) =>
  `.ow-ground{fill:${ground}}.ow-plot text{fill:${text}}.ow-plot .ow-tick{fill:${soft}}.ow-plot .ow-caption{fill:${soft}}` +
  `.ow-grid{stroke:${grid}}.ow-axis{stroke:${soft}}.ow-whisker{stroke:${text}}`;

/** Style of every plot: light, and dark where the reader's screen is; paper stays light. */
export const PLOT_STYLE = [
  ".ow-plot{max-width:100%;height:auto;font-family:system-ui,sans-serif}",
  ".ow-plot text{font-size:14px}.ow-plot .ow-title{font-size:15px;font-weight:600}.ow-plot .ow-tick{font-size:12px}",
  ".ow-line{fill:none;stroke-width:2;stroke-linejoin:round}.ow-spread{stroke-width:1.4;fill:none}",
  ".ow-dash{stroke-dasharray:6 4}.ow-band{opacity:.16;stroke:none}.ow-grid,.ow-axis{stroke-width:1}",
  page("#fff", "#1b1b1b", "#5a5a5a", "#e2e2e2"),
  series(LIGHT),
  `@media screen and (prefers-color-scheme:dark){${page("#16181c", "#ececec", "#a9adb3", "#32363d")}${series(DARK)}}`,
].join("");
