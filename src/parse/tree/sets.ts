import { byId, setOf } from "../tags.ts";

/** Namespaces of elements. */
export const HTML = 0;
export const SVG = 1;
export const MATHML = 2;

// Properties of open elements, one bit each.
export const SPECIAL = 1;
export const SCOPE = 2;
export const LIST_SCOPE = 4;
export const BUTTON_SCOPE = 8;
export const TABLE_SCOPE = 16;
export const LIST_BOUNDARY = 32;
const ANY_SCOPE = SCOPE | LIST_SCOPE | BUTTON_SCOPE;
const SPECIAL_BOUNDARY = SPECIAL | LIST_BOUNDARY;

/** Elements and their properties; an element may appear several times. */
const GIVEN: readonly [namespace: number, bits: number, names: string][] = [
  [
    HTML,
    SPECIAL_BOUNDARY,
    "applet area article aside base basefont bgsound blockquote body br button caption center col " +
      "colgroup dd details dir dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 " +
      "h3 h4 h5 h6 head header hgroup hr html iframe img input li link listing main marquee menu meta " +
      "nav noembed noframes noscript object ol param plaintext pre script section select source style " +
      "summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp",
  ],
  [HTML, SPECIAL, "address div p"],
  [HTML, ANY_SCOPE, "applet caption html marquee object table td template th"],
  [HTML, LIST_SCOPE, "ol ul"],
  [HTML, BUTTON_SCOPE, "button"],
  [HTML, TABLE_SCOPE, "table html"],
  [SVG, SPECIAL_BOUNDARY | ANY_SCOPE, "desc foreignobject title"],
  [MATHML, SPECIAL_BOUNDARY | ANY_SCOPE, "annotation-xml mi mn mo ms mtext"],
];

/** The properties of every element that has some, by namespace * 256 + id. */
export const PROPERTIES: Uint8Array = new Uint8Array(3 * 256);
for (const [namespace, bits, names] of GIVEN) {
  byId([[names, bits]]).forEach((value = 0, id) => {
    PROPERTIES[namespace * 256 + id]! |= value;
  });
}

/** Elements whose end tags may be omitted. */
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
/** Elements that belong to the head, wherever they are written. */
export const HEAD_CONTENT: Uint8Array = setOf(
  "base basefont bgsound link meta noframes script style template title",
);
