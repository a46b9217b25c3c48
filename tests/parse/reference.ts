import * as parse5 from "parse5";
import { scanLinks } from "../../src/parse/links.ts";

/** The attribute that makes each element a link. */
const LINK_ATTRIBUTE: Record<string, string> = {
  a: "href",
  area: "href",
  link: "href",
  base: "href",
  frame: "src",
  iframe: "src",
};

interface Node {
  tagName?: string;
  namespaceURI?: string;
  attrs?: { name: string; value: string }[];
  childNodes?: Node[];
}

/** Every link of a page as parse5 sees it with scripting off, in document order: "element value". */
export function referenceLinks(html: string): string[] {
  const found: string[] = [];
  const open: Node[] = [parse5.parse(html, { scriptingEnabled: false }) as Node];
  while (open.length > 0) {
    const node = open.pop()!;
    const link = linkOf(node);
    if (link !== undefined) found.push(link);
    for (const child of [...(node.childNodes ?? [])].reverse()) open.push(child);
  }
  return found;
}

function linkOf(node: Node): string | undefined {
  const { tagName, namespaceURI, attrs = [] } = node;
  if (tagName === undefined || namespaceURI?.endsWith("MathML")) return undefined;
  if (namespaceURI?.endsWith("svg") && tagName !== "a") return undefined;
  const value = (name: string) => attrs.find((attribute) => attribute.name === name)?.value;
  if (tagName === "meta") {
    const isRefresh = value("http-equiv")?.toLowerCase() === "refresh";
    const content = value("content");
    return isRefresh && content !== undefined ? `meta ${content}` : undefined;
  }
  const attribute = LINK_ATTRIBUTE[tagName];
  const link = attribute === undefined ? undefined : value(attribute);
  return link === undefined ? undefined : `${tagName} ${link}`;
}

/** The same from the scanner; `exact` forces tree construction. */
export function scannedLinks(html: string, exact = false): string[] {
  const options = { contentType: "text/html; charset=utf-8", exact };
  return scanLinks(Buffer.from(html, "utf8"), options).links.map(
    (link) => `${link.element} ${link.value}`,
  );
}

/** Distinct values in order of first appearance. */
export function distinct(values: string[]): string[] {
  return [...new Set(values)];
}
