import type { ParsedPage } from "../../parse/page.ts";
import type { RobotsDirectives } from "../../parse/robots-meta.ts";
import type { Capture, EarlierRecord } from "../../store/capture.ts";

/** What a record needs of a response. */
export interface ResponseToStore {
  readonly head: {
    readonly status: number;
    readonly text: string;
    /** Its length in bytes. */
    readonly length: number;
    /** Copies it as it was received. */
    copyTo(into: Buffer, at: number): void;
    /** Below 0 when there is no such field. */
    find(nameLower: string): number;
  };
  readonly body: Uint8Array;
  /** The request as sent, one character per byte. */
  readonly requestText: string;
  readonly address: string;
  readonly date: number;
  readonly unverified?: string | undefined;
}

/** What reading a response found that its record needs. */
export interface PageToStore {
  readonly mime: string;
  readonly truncated: Capture["truncated"];
  readonly unchanged?: EarlierRecord;
  /** Length of the body without its content coding, as far as that was removed. */
  readonly decodedBytes?: number | undefined;
  /** Present for HTML. */
  readonly parsed:
    | Pick<
        ParsedPage,
        "title" | "words" | "links" | "linkCount" | "packed" | "linksAll" | "charset" | "language"
      >
    | undefined;
  readonly robots: RobotsDirectives;
  readonly signals?: object | undefined;
  /** What a user's handler wants kept: one line of JSON. */
  readonly data?: string | undefined;
  /** What it pushed, as `packRows` packs it. */
  readonly rows?: string | undefined;
}
