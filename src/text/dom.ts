import { UsageError } from "../errors.ts";

/** As much of a DOM as is used here. */
export interface DomNode {
  readonly nodeType: number;
  readonly localName?: string;
  readonly nodeValue: string | null;
  readonly childNodes: ArrayLike<DomNode>;
  readonly textContent: string | null;
}

/** An element of it. */
export interface DomElement extends DomNode {
  readonly localName: string;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  querySelectorAll(selector: string): ArrayLike<DomElement>;
}

/** A document of it. */
export interface DomDocument {
  readonly documentElement: DomElement | null;
  readonly body: DomElement | null;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): ArrayLike<DomElement>;
}

export const ELEMENT = 1;
export const TEXT = 3;

/** What an extractor answers about a page. */
export interface Article {
  readonly title?: string | null;
  readonly byline?: string | null;
  readonly publishedTime?: string | null;
  readonly content?: DomElement | null;
}

/** The two libraries that texts are extracted with. */
export interface TextLibraries {
  parse(html: string): DomDocument;
  /** Finds the article of a document, and takes the document apart. */
  read(document: DomDocument): Article | null;
}

/** A page of more elements is not scored, only rendered. */
const MAX_ELEMENTS = 200_000;

interface Reader {
  new (
    document: DomDocument,
    options: { serializer: (node: DomElement) => DomElement; maxElemsToParse: number },
  ): { parse(): Article | null };
}

/** Loads them; fails with a sentence when one is not installed. */
export async function loadTextLibraries(): Promise<TextLibraries> {
  // As variables, because the compiler need not know their types.
  const [dom, reader] = ["linkedom", "@mozilla/readability"];
  try {
    const { parseHTML } = (await import(dom)) as {
      parseHTML(html: string): { document: DomDocument };
    };
    const library = (await import(reader)) as { Readability: Reader };
    return {
      parse: (html) => parseHTML(html).document,
      read: (document) =>
        new library.Readability(document, {
          serializer: (node) => node,
          maxElemsToParse: MAX_ELEMENTS,
        }).parse(),
    };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new UsageError(
      `main texts need the packages ${dom} and ${reader}: npm install ${dom} ${reader}`,
      cause,
    );
  }
}
