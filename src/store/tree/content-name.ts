import { looksLikeHtml, sniffedType } from "../../parse/sniff.ts";

const HTML = "html";
/** For a type that is not in the table. */
const UNKNOWN = "bin";

/** Extensions by media type. Names never come from the web, only from here. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  "text/html": HTML,
  "application/xhtml+xml": HTML,
  "text/plain": "txt",
  "text/css": "css",
  "text/csv": "csv",
  "text/markdown": "md",
  "text/calendar": "ics",
  "text/javascript": "js",
  "application/javascript": "js",
  "application/x-javascript": "js",
  "application/json": "json",
  "text/xml": "xml",
  "application/xml": "xml",
  "image/svg+xml": "svg",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
  "image/bmp": "bmp",
  "image/tiff": "tiff",
  "image/x-icon": "ico",
  "image/vnd.microsoft.icon": "ico",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/wav": "wav",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/mpeg": "mpeg",
  "video/quicktime": "mov",
  "video/ogg": "ogv",
  "video/x-flv": "flv",
  "font/woff": "woff",
  "font/woff2": "woff2",
  "font/ttf": "ttf",
  "font/otf": "otf",
  "application/pdf": "pdf",
  "application/postscript": "ps",
  "application/rtf": "rtf",
  "application/wasm": "wasm",
  "application/zip": "zip",
  "application/gzip": "gz",
  "application/x-gzip": "gz",
  "application/x-bzip2": "bz2",
  "application/x-xz": "xz",
  "application/zstd": "zst",
  "application/x-7z-compressed": "7z",
  "application/vnd.rar": "rar",
  "application/x-ole-storage": "ole",
  "application/msword": "doc",
  "application/vnd.ms-excel": "xls",
  "application/vnd.ms-powerpoint": "ppt",
  "application/epub+zip": "epub",
  "application/java-archive": "jar",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.oasis.opendocument.spreadsheet": "ods",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
};

/** Extensions of files that are containers of another kind: their content begins like the container. */
const CONTAINERS: Readonly<Record<string, readonly string[]>> = {
  zip: ["epub", "jar", "odt", "ods", "docx", "xlsx", "pptx"],
  ole: ["doc", "xls", "ppt"],
  mp4: ["mov", "m4a"],
  ogg: ["ogv"],
};

/** The names that a content file can have. */
export const CONTENT_NAME: RegExp = /^content\.[a-z0-9]{1,5}$/;

/**
 * The name of the file that keeps a page in a tree: "content." and the extension of what the bytes are. Bytes that begin
 * like a picture or an archive are one, whatever the server says; otherwise its word counts.
 */
export function contentName(mime: string, content: Uint8Array): string {
  return `content.${extensionOf(mime, content)}`;
}

function extensionOf(mime: string, content: Uint8Array): string {
  const declared = declaredExtension(mime);
  const type = sniffedType(content);
  if (type !== undefined) {
    const found = EXTENSIONS[type] ?? UNKNOWN;
    if (declared !== undefined && CONTAINERS[found]?.includes(declared)) return declared;
    // The start says only that it is no text.
    return found === UNKNOWN && declared !== HTML ? (declared ?? found) : found;
  }
  if (declared === HTML) return HTML;
  if (looksLikeHtml(content, false) && !isMarkup(declared)) return HTML;
  return declared ?? UNKNOWN;
}

/** Undefined when the server names no type, or none that is known here. */
function declaredExtension(mime: string): string | undefined {
  if (Object.hasOwn(EXTENSIONS, mime)) return EXTENSIONS[mime];
  if (mime.endsWith("+xml")) return "xml";
  if (mime.endsWith("+json")) return "json";
  return mime.startsWith("text/") ? "txt" : undefined;
}

/** Types whose text begins with "<" as well, or may: their declaration counts. */
function isMarkup(extension: string | undefined): boolean {
  return ["xml", "svg", "txt", "md", "js", "css", "csv", "json", "ics"].includes(extension ?? "");
}
