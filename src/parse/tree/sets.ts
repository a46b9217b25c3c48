import { setOf, T } from "../tags.ts";

/** Namespaces of elements. */
export const HTML = 0;
export const SVG = 1;
export const MATHML = 2;

// Properties of open elements, one bit each, by namespace * 256 + id.
export const SPECIAL = 1;
export const SCOPE = 2;
export const LIST_SCOPE = 4;
export const BUTTON_SCOPE = 8;
export const TABLE_SCOPE = 16;
export const LIST_BOUNDARY = 32;

/** The properties of every element that has some. */
export const PROPERTIES: Uint8Array = new Uint8Array(3 * 256);

function give(namespace: number, names: string, bits: number): void {
  const set = setOf(names);
  for (let id = 0; id < 256; id++) if (set[id] === 1) PROPERTIES[namespace * 256 + id]! |= bits;
}

give(
  HTML,
  "address applet area article aside base basefont bgsound blockquote body br button caption center " +
    "col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset " +
    "h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input li link listing main marquee menu " +
    "meta nav noembed noframes noscript object ol p param plaintext pre script section select source " +
    "style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp",
  SPECIAL | LIST_BOUNDARY,
);
for (const id of [T.address, T.div, T.p]) PROPERTIES[id]! &= ~LIST_BOUNDARY;
give(MATHML, "mi mo mn ms mtext annotation-xml", SPECIAL | LIST_BOUNDARY);
give(SVG, "title foreignobject desc", SPECIAL | LIST_BOUNDARY);
const ANY_SCOPE = SCOPE | LIST_SCOPE | BUTTON_SCOPE;
give(HTML, "applet caption html marquee object table td template th", ANY_SCOPE);
give(SVG, "desc foreignobject title", ANY_SCOPE);
give(MATHML, "annotation-xml mi mn mo ms mtext", ANY_SCOPE);
give(HTML, "ol ul", LIST_SCOPE);
give(HTML, "button", BUTTON_SCOPE);
give(HTML, "table html", TABLE_SCOPE);

/** Elements an end tag may leave unwritten. */
export const IMPLIED_END: Uint8Array = setOf("dd dt li optgroup option p rb rp rt rtc");
/** The same when a template closes. */
export const IMPLIED_END_THOROUGH: Uint8Array = setOf(
  "caption colgroup dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr",
);
/** Content directly inside these is moved out, in front of the table. */
export const TABLE_STRUCTURE: Uint8Array = setOf("table tbody tfoot thead tr");
/** Start tags that close a cell or a caption. */
export const CELL_ENDING: Uint8Array = setOf("caption col colgroup tbody td tfoot th thead tr");
/** HTML tags that end SVG and MathML. */
export const FOREIGN_ENDING: Uint8Array = setOf(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li " +
    "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
);
/** The elements that decide the insertion mode. */
export const MODE_GIVING: Uint8Array = setOf(
  "tr tbody thead tfoot caption colgroup table frameset select template td th head body html",
);
/** Elements that can only stand in the head, wherever they are written. */
export const HEAD_CONTENT: Uint8Array = setOf(
  "base basefont bgsound link meta noframes script style template title",
);

/** Groups of tags that the body treats alike, as literals for one switch. */
export const B_FORMATTING = 1;
export const B_BLOCK = 2;
export const B_HEADING = 3;
export const B_ITEM = 4;
export const B_VOID = 5;
export const B_IGNORED = 6;
export const B_HEAD = 7;
export const B_RUBY_BASE = 8;
export const B_RUBY_TEXT = 9;
export const B_PRE = 10;
export const B_MARKED = 11; // applet, marquee, object
export const B_PARAM = 12;
export const B_OPTION = 13;
export const B_RAW = 14;
export const B_OWN = 15; // each has rules of its own

/** The group of each id in body content, for start tags. */
export const BODY_GROUP: Uint8Array = new Uint8Array(256);
function group(names: string, value: number): void {
  const set = setOf(names);
  for (let id = 0; id < 256; id++) if (set[id] === 1) BODY_GROUP[id] = value;
}
group("b big code em font i s small strike strong tt u", B_FORMATTING);
group(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer " +
    "header hgroup main menu nav ol p search section summary ul",
  B_BLOCK,
);
group("h1 h2 h3 h4 h5 h6", B_HEADING);
group("li dd dt", B_ITEM);
group("area br embed img image keygen wbr", B_VOID);
group("caption col colgroup frame head tbody td tfoot th thead tr", B_IGNORED);
group("base basefont bgsound link meta script style template title", B_HEAD);
group("rb rtc", B_RUBY_BASE);
group("rp rt", B_RUBY_TEXT);
group("pre listing", B_PRE);
group("applet marquee object", B_MARKED);
group("param source track", B_PARAM);
group("optgroup option", B_OPTION);
group("noembed noframes", B_RAW);
group(
  "a body button form frameset hr html iframe input math nobr plaintext select svg table textarea xmp",
  B_OWN,
);
