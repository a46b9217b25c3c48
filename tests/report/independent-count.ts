import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import * as parse5 from "parse5";

/** The little of npm's warcio that is used; its own declarations need packages we do not have. */
interface Warcio {
  readonly WARCParser: {
    iterRecords(
      source: ReadableStream,
      options: { parseHttp: boolean },
    ): AsyncIterable<{
      readonly warcType: string;
      readonly warcTargetURI: string;
      readonly httpHeaders: {
        readonly statusCode: number;
        readonly headers: { get(name: string): string | null };
      };
      readFully(isContEnc: boolean): Promise<Uint8Array>;
    }>;
  };
}

/** A page as counted here. */
export interface CountedPage {
  readonly url: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly links: number;
  readonly linksAll: number;
  readonly status: number;
  readonly mime: string;
  readonly charset: string;
  readonly language: string;
  /** Pages and others that it links to, each once. */
  readonly targets: ReadonlySet<string>;
}

/** An archive as counted here. */
export interface CountedArchive {
  readonly pages: readonly CountedPage[];
  /** Responses that are no pages, by status. */
  readonly others: ReadonlyMap<number, number>;
}

/** A node of parse5, as far as it is looked at. */
export interface MarkupNode {
  readonly nodeName: string;
  readonly value?: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly MarkupNode[];
}

/** Counts the pages of an archive with foreign code alone: npm's warcio, zlib, parse5 and `URL`. */
export async function countArchive(out: string): Promise<CountedArchive> {
  const name: string = "warcio";
  const { WARCParser } = (await import(name)) as Warcio;
  const pages: CountedPage[] = [];
  const others = new Map<number, number>();
  for (const file of readdirSync(join(out, "archive")).sort()) {
    const source = Readable.toWeb(createReadStream(join(out, "archive", file))) as ReadableStream;
    for await (const record of WARCParser.iterRecords(source, { parseHttp: true })) {
      // An answer whose body was archived before is a revisit, such as all but the first of equal 404s.
      if (record.warcType !== "response" && record.warcType !== "revisit") continue;
      const { statusCode, headers } = record.httpHeaders;
      const body = await record.readFully(false);
      if (statusCode < 200 || statusCode > 299) {
        others.set(statusCode, (others.get(statusCode) ?? 0) + 1);
        continue;
      }
      if (record.warcType === "revisit") throw new Error(`no body: ${record.warcTargetURI}`);
      const plain = decoded(body, headers.get("content-encoding") ?? "");
      const type = headers.get("content-type") ?? "";
      pages.push({ ...countPage(record.warcTargetURI, plain, type), status: statusCode });
    }
  }
  return { pages, others };
}

function decoded(body: Uint8Array, coding: string): Uint8Array {
  if (coding === "gzip") return gunzipSync(body);
  return coding === "br" ? brotliDecompressSync(body) : body;
}

function countPage(url: string, body: Uint8Array, type: string): Omit<CountedPage, "status"> {
  const isHtml = type.includes("html");
  let language = "";
  const text: string[] = [];
  const links: string[] = [];
  if (isHtml) {
    const document = parse5.parse(Buffer.from(body).toString("utf8"), { scriptingEnabled: false });
    const root = (document as unknown as MarkupNode).childNodes!.find(
      ({ nodeName }) => nodeName === "html",
    );
    language = root?.attrs?.find(({ name }) => name === "lang")?.value ?? "";
    walk(document as unknown as MarkupNode, url, text, links);
  }
  return {
    url,
    bytes: body.length,
    tokens: text
      .join("")
      .split(/\s+/)
      .filter((word) => word !== "").length,
    links: new Set(links).size,
    linksAll: links.length,
    mime: type.split(";")[0]!.trim(),
    charset: /charset="?([\w-]+)/.exec(type)?.[1]?.toLowerCase() ?? "",
    language,
    targets: new Set(links),
  };
}

const SILENT = new Set(["script", "style", "title", "template", "head"]);
const INLINE = new Set(["a", "b", "i", "em", "strong", "span", "code"]);

function walk(node: MarkupNode, base: string, text: string[], links: string[]): void {
  if (node.nodeName === "#text") text.push(node.value!);
  const href = node.nodeName === "a" ? node.attrs?.find(({ name }) => name === "href") : undefined;
  if (href !== undefined && URL.canParse(href.value, base)) {
    const target = new URL(href.value, base);
    target.hash = "";
    if (/^https?:$/.test(target.protocol)) links.push(target.href);
  }
  if (SILENT.has(node.nodeName)) return;
  const isBlock = !node.nodeName.startsWith("#") && !INLINE.has(node.nodeName);
  if (isBlock) text.push(" ");
  for (const child of node.childNodes ?? []) walk(child, base, text, links);
  if (isBlock) text.push(" ");
}
