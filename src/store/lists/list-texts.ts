import { rememberLast } from "../../runtime/remember-last.ts";
import { jsonText } from "../files/jsonl.ts";
import { safePage, safeParent, safeText } from "../files/safe-text.ts";

// Texts of a capture as they stand in lines of JSON. Index and page list need some of them one after the other, and those
// of the next capture are often the same.

export const pageJson = rememberLast((url) => jsonText(safePage(url)));
export const parentJson = rememberLast((url) => jsonText(safeParent(url)));
export const mimeJson = rememberLast(jsonText);
export const indexMimeJson = rememberLast((mime) => jsonText(safeText(mime)));
export const charsetJson = rememberLast(jsonText);
export const languageJson = rememberLast(jsonText);
export const robotsJson = rememberLast(jsonText);
export const fileJson = rememberLast(jsonText);
