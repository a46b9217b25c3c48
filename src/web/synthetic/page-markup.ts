import type { Random } from "../seeded-random.ts";
import { sentences, WORDS } from "./word-list.ts";

const PHRASES = 240;
const PHRASE_BYTES = 40;
/** What is left of a piece of this size becomes a paragraph of its own. */
const SMALLEST_BYTES = 400;

/**
 * Writes what pages of the web consist of besides text: cards, tables, lists and scripts with their classes, which are
 * highly repetitive. It has no links: the page adds its own.
 */
export class Markup {
  readonly #random: Random;
  readonly #phrases: readonly string[];

  constructor(random: Random) {
    this.#random = random;
    this.#phrases = Array.from({ length: PHRASES }, () => sentences(random, PHRASE_BYTES).trim());
  }

  /** Whole elements, exactly so many bytes; for 8 bytes and more. */
  piece(bytes: number): string {
    let text = "";
    for (;;) {
      const next = this.#element();
      if (text.length + next.length > bytes - 8) break;
      text += next;
      if (bytes - text.length < SMALLEST_BYTES) break;
    }
    const rest = bytes - text.length - 8;
    return `${text}<p>${this.#text(rest).slice(0, rest)}</p>\n`;
  }

  #element(): string {
    const kind = this.#random.below(8);
    if (kind < 2) return this.#card();
    if (kind < 4) return this.#table();
    if (kind === 4) return this.#list();
    if (kind === 5) return this.#script();
    const text = this.#text(120 + this.#random.below(160));
    return `<p class="text">${text} <em>${this.#word()}</em> ${this.#phrase()}.</p>\n`;
  }

  #card(): string {
    return `<div class="card card-item"><div class="card-header"><span class="badge badge-light" data-id="${this.#random.below(1000)}">${this.#word()}</span></div><div class="card-body"><h3 class="card-title">${this.#phrase()}</h3><p class="card-text">${this.#phrase()}.</p></div></div>\n`;
  }

  #table(): string {
    let rows = "";
    for (let left = 2 + this.#random.below(3); left > 0; left--) {
      rows += `<tr class="row"><td class="cell cell-name"><code>${this.#word()}_${this.#word()}</code></td><td class="cell">${this.#phrase()}</td></tr>\n`;
    }
    return `<table class="data-table"><tbody>\n${rows}</tbody></table>\n`;
  }

  #list(): string {
    let items = "";
    for (let left = 3 + this.#random.below(3); left > 0; left--) {
      items += `<li class="list-item"><span class="label">${this.#word()}</span></li>\n`;
    }
    return `<ul class="list list-plain">\n${items}</ul>\n`;
  }

  #script(): string {
    return `<script>(window.parts=window.parts||[]).push({"id":${this.#random.below(100_000)},"name":"${this.#word()}","lazy":true,"options":{"lang":"en","size":"small"}});</script>\n`;
  }

  #text(bytes: number): string {
    let text = this.#phrase();
    while (text.length < bytes) text += ` ${this.#phrase()}`;
    return text;
  }

  /** Some phrases are far more frequent than others, like words. */
  #phrase(): string {
    const u = this.#random.next();
    return this.#phrases[Math.floor(PHRASES * u * u)]!;
  }

  #word(): string {
    return WORDS[this.#random.below(WORDS.length)]!;
  }
}
