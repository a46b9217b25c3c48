import { Writable } from "node:stream";

const ESCAPE = "\x1b";
const TOKEN = new RegExp(`${ESCAPE}\\[\\??\\d*[A-Za-z]|[^]`, "gu");

/** A terminal in memory: text, CR, LF, cursor up, erase, cursor on and off, wrapping, reflow on resize. */
export class FakeTerminal extends Writable {
  readonly isTTY = true;
  columns: number;
  hidden = false;
  writes = 0;
  /** Changes of colour. */
  colours = 0;
  /** Logical lines; each takes as many rows as its length asks for. */
  #lines = [""];
  #line = 0;
  #column = 0;

  constructor(columns: number) {
    super({ decodeStrings: false });
    this.columns = columns;
  }

  resize(columns: number): void {
    this.columns = columns;
  }

  /** What stands on the screen, without the empty lines below. */
  lines(): string[] {
    const last = this.#lines.findLastIndex((line) => line !== "");
    return this.#lines.slice(0, last + 1);
  }

  override _write(text: string, _encoding: string, done: () => void): void {
    this.writes++;
    for (const [token] of text.matchAll(TOKEN)) this.#take(token);
    done();
  }

  #take(token: string): void {
    if (token === "\n") {
      this.#line++;
      this.#column = 0;
      this.#lines[this.#line] ??= "";
    } else if (token === "\r") this.#column = 0;
    else if (token === "\x1b[?25l") this.hidden = true;
    else if (token === "\x1b[?25h") this.hidden = false;
    else if (token === "\x1b[K") this.#lines[this.#line] = this.#current().slice(0, this.#column);
    else if (token === "\x1b[J") {
      this.#lines[this.#line] = this.#current().slice(0, this.#column);
      this.#lines.length = this.#line + 1;
    } else if (token.startsWith("\x1b[") && token.endsWith("A"))
      this.#up(Number(token.slice(2, -1)));
    else if (/m$/.test(token) && token.startsWith("\x1b[")) this.colours++;
    else if (token.startsWith("\x1b")) throw new Error(`unknown sequence ${JSON.stringify(token)}`);
    else {
      const line = this.#current().padEnd(this.#column);
      this.#lines[this.#line] = line.slice(0, this.#column) + token + line.slice(this.#column + 1);
      this.#column++;
    }
  }

  #current(): string {
    return this.#lines[this.#line]!;
  }

  /** Up by rows: a line longer than the window is several of them. */
  #up(rows: number): void {
    for (let left = rows; left > 0; ) {
      if (this.#line === 0) throw new Error("the cursor left the screen");
      this.#line--;
      left -= Math.max(1, Math.ceil(this.#current().length / this.columns));
      if (left < 0) throw new Error("the cursor stopped in the middle of a wrapped line");
    }
  }
}
