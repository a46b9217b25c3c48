// What is used of playwright-core. Its own types need those of a browser's DOM, which nothing else here has.

/** An element, or several, found when they are used. */
export interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  check(): Promise<void>;
  press(key: string): Promise<void>;
  count(): Promise<number>;
  textContent(): Promise<string | null>;
  isVisible(): Promise<boolean>;
  first(): Locator;
}

/** A page of a browser. */
export interface Page {
  goto(url: string): Promise<unknown>;
  url(): string;
  locator(selector: string): Locator;
  waitForSelector(selector: string, options?: { state?: "visible" | "hidden" }): Promise<unknown>;
  waitForTimeout(ms: number): Promise<void>;
  /** The text of an expression that runs in the page; its policy must allow that. */
  evaluate<T>(text: string): Promise<T>;
  addScriptTag(script: { content: string }): Promise<unknown>;
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  emulateMedia(options: { colorScheme: "light" | "dark" }): Promise<void>;
  keyboard: { press(key: string): Promise<void> };
  on(event: "console", use: (message: { type(): string; text(): string }) => void): unknown;
  on(event: "pageerror", use: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** How a page is opened. */
export interface PageOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
  /** Only for tools that look into a page: it is what `addScriptTag` needs. */
  readonly bypassCSP?: boolean;
}

/** A browser. */
export interface Browser {
  newPage(options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

/** The part of the package that starts one. */
export interface Chromium {
  launch(options: { executablePath: string; args: readonly string[] }): Promise<Browser>;
}

/** Loads the package. */
export async function loadChromium(): Promise<Chromium> {
  const name = "playwright-core";
  const { chromium } = (await import(name)) as { chromium: Chromium };
  return chromium;
}
