import { type DomElement, type DomNode, ELEMENT, TEXT } from "./dom.ts";

/** How content is written. */
export interface RenderOptions {
  readonly isMarkdown: boolean;
  /** What relative links are resolved against. */
  readonly base: string;
  /** Elements that are left out with all they hold. */
  readonly isLeftOut?: ((element: DomElement) => boolean) | undefined;
}

const SILENT = new Set(
  "script style noscript template head svg math select option button input textarea iframe object canvas audio video".split(
    " ",
  ),
);
const INLINE = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);
const HEADING = /^h([1-6])$/;
const SPACES = /[\t\n\f\r ]+/g;
/** A table with more than one block in a cell lays out a page. */
const MAX_CELL_CHARACTERS = 1000;

/** The content of an element: blocks on lines of their own as text, headings, lists, tables, code and links as Markdown. */
export function renderContent(root: DomElement, options: RenderOptions): string {
  const blocks = new Renderer(options).blocksOf(root);
  return blocks.join(options.isMarkdown ? "\n\n" : "\n");
}

class Renderer {
  readonly #isMarkdown: boolean;
  readonly #base: string;
  readonly #isLeftOut: (element: DomElement) => boolean;

  constructor({ isMarkdown, base, isLeftOut }: RenderOptions) {
    this.#isMarkdown = isMarkdown;
    this.#base = base;
    this.#isLeftOut = isLeftOut ?? (() => false);
  }

  /** What is inside an element, block by block; text between blocks is a paragraph. */
  blocksOf(parent: DomElement): string[] {
    const blocks: string[] = [];
    let run = "";
    const flush = () => {
      const text = this.#paragraph(run);
      if (text !== "") blocks.push(text);
      run = "";
    };
    for (const child of nodesOf(parent)) {
      if (child.nodeType !== ELEMENT || this.#isInline(child as DomElement)) {
        run += this.#inline(child);
        continue;
      }
      flush();
      for (const block of this.#block(child as DomElement)) if (block !== "") blocks.push(block);
    }
    flush();
    return blocks;
  }

  /** An inline element that holds a block, as many pages have it, is a block. */
  #isInline(element: DomElement): boolean {
    const name = element.localName;
    if (name === "br") return true;
    if (!INLINE.has(name)) return SILENT.has(name);
    for (const child of nodesOf(element))
      if (child.nodeType === ELEMENT && !this.#isInline(child as DomElement)) return false;
    return true;
  }

  #block(element: DomElement): string[] {
    const name = element.localName;
    if (SILENT.has(name) || this.#isLeftOut(element)) return [];
    const level = HEADING.exec(name)?.[1];
    if (level !== undefined) return [this.#heading(element, Number(level))];
    if (name === "pre") return [this.#code(element)];
    if (name === "ul" || name === "ol") return this.#list(element, name === "ol");
    if (name === "table") return this.#table(element);
    if (name === "hr") return this.#isMarkdown ? ["---"] : [];
    const blocks = this.blocksOf(element);
    if (name !== "blockquote" || !this.#isMarkdown) return blocks;
    return blocks.length === 0 ? [] : [prefixed(blocks.join("\n\n"), "> ", "> ")];
  }

  #heading(element: DomElement, level: number): string {
    const text = this.blocksOf(element).join(" ").replace(/\s+/g, " ");
    return text === "" || !this.#isMarkdown ? text : `${"#".repeat(level)} ${text}`;
  }

  #code(element: DomElement): string {
    const text = (element.textContent ?? "").replace(/^\n|\s+$/g, "");
    if (text === "" || !this.#isMarkdown) return text;
    const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length));
    const fence = "`".repeat(longest + 1);
    return `${fence}\n${text}\n${fence}`;
  }

  #list(element: DomElement, isOrdered: boolean): string[] {
    const items: string[] = [];
    for (const child of nodesOf(element)) {
      if (child.nodeType !== ELEMENT) continue;
      const blocks = this.#block(child as DomElement);
      if (blocks.length === 0) continue;
      if (!this.#isMarkdown) items.push(...blocks);
      else {
        const mark = isOrdered ? `${items.length + 1}. ` : "- ";
        items.push(prefixed(blocks.join("\n"), mark, " ".repeat(mark.length)));
      }
    }
    return this.#isMarkdown ? [items.join("\n")] : items;
  }

  /** A table of data as rows; one that lays out a page as the blocks of its cells. */
  #table(element: DomElement): string[] {
    const rows = rowsOf(element).filter((row) => !this.#isLeftOut(row));
    const cells = rows.map((row) =>
      nodesOf(row)
        .filter((node): node is DomElement => /^t[dh]$/.test(node.localName ?? ""))
        .filter((cell) => !this.#isLeftOut(cell))
        .map((cell) => this.blocksOf(cell)),
    );
    const isData =
      rows.length > 1 &&
      cells.some((row) => row.length > 1) &&
      element.querySelectorAll("table").length === 0 &&
      cells.flat().every((cell) => cell.join(" ").length <= MAX_CELL_CHARACTERS);
    if (!isData) return cells.flat(2);
    const texts = cells.map((row) => row.map((cell) => cell.join(" ").replace(/\s+/g, " ")));
    const filled = texts.filter((row) => row.some((cell) => cell !== ""));
    if (!this.#isMarkdown) return filled.map((row) => row.join("\t").trim());
    if (filled.length === 0) return [];
    const width = Math.max(...filled.map((row) => row.length));
    const line = (row: readonly string[]) =>
      `| ${Array.from({ length: width }, (_, i) => (row[i] ?? "").replaceAll("|", "\\|")).join(" | ")} |`;
    const [head, ...body] = filled;
    const rule = `|${" --- |".repeat(width)}`;
    return [[line(head!), rule, ...body.map(line)].join("\n")];
  }

  #inline(node: DomNode): string {
    if (node.nodeType === TEXT) {
      const text = (node.nodeValue ?? "").replace(SPACES, " ");
      return this.#isMarkdown ? escaped(text) : text;
    }
    if (node.nodeType !== ELEMENT) return "";
    const element = node as DomElement;
    const name = element.localName;
    if (name === "br") return "\n";
    if (SILENT.has(name) || this.#isLeftOut(element)) return "";
    const isCode = name === "code" || name === "tt" || name === "kbd" || name === "samp";
    if (isCode && this.#isMarkdown) return inlineCode(element.textContent ?? "");
    let inner = "";
    for (const child of nodesOf(element)) inner += this.#inline(child);
    if (!this.#isMarkdown) return inner;
    if (name === "a") return this.#link(element, inner);
    if (name === "b" || name === "strong") return marked(inner, "**");
    return name === "i" || name === "em" ? marked(inner, "*") : inner;
  }

  #link(element: DomElement, inner: string): string {
    const href = element.getAttribute("href") ?? "";
    const text = inner.trim();
    if (text === "" || href === "" || !URL.canParse(href, this.#base)) return inner;
    const { href: target, protocol } = new URL(href, this.#base);
    if (!/^(?:https?|mailto):$/.test(protocol)) return inner;
    const safe = target.replace(/[()\s<>]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
    return inner.replace(text, () => `[${text}](${safe})`);
  }

  #paragraph(run: string): string {
    const lines = run.split("\n").map((line) => line.replace(/ +/g, " ").trim());
    const text = lines
      .join("\n")
      .replace(/\n{2,}/g, "\n")
      .trim();
    if (!this.#isMarkdown) return text;
    // What would begin a heading, a list or a quotation is text here; a line end within a paragraph is kept.
    return text
      .split("\n")
      .map((line) => line.replace(/^(#{1,6}(?= )|[-+>](?= )|\d{1,9}(?=[.)] ))/, startEscaped))
      .join("  \n");
  }
}

function startEscaped(mark: string): string {
  return /^\d/.test(mark) ? `${mark}\\` : `\\${mark}`;
}

/** As an array, and only once: the lists of some DOMs are made anew at every access. */
function nodesOf(parent: DomNode): DomNode[] {
  return Array.from(parent.childNodes);
}

/** The rows of a table itself, not of tables inside. */
function rowsOf(table: DomElement): DomElement[] {
  return nodesOf(table).flatMap((node) => {
    if (node.localName === "tr") return [node as DomElement];
    if (!/^t(?:head|body|foot)$/.test(node.localName ?? "")) return [];
    return nodesOf(node).filter((row): row is DomElement => row.localName === "tr");
  });
}

function escaped(text: string): string {
  return text.replace(/[\\*`[\]<]|(?<!\w)_|_(?!\w)/g, "\\$&");
}

function inlineCode(content: string): string {
  const text = content.replace(/\s+/g, " ");
  if (text.trim() === "") return text;
  const mark = text.includes("`") ? "``" : "`";
  const space = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${mark}${space}${text}${space}${mark}`;
}

/** Marks of emphasis stand close to their words. */
function marked(inner: string, mark: string): string {
  const text = inner.trim();
  return text === "" || text.includes("\n")
    ? inner
    : inner.replace(text, () => `${mark}${text}${mark}`);
}

function prefixed(text: string, first: string, others: string): string {
  return text
    .split("\n")
    .map((line, i) => (i === 0 ? first : line === "" ? others.trimEnd() : others) + line)
    .join("\n");
}
