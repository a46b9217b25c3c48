import { packageVersion } from "./version.ts";

/** The name that sites see, and use in robots.txt. */
export const PRODUCT = "Orbweaver";

/** `Orbweaver/<version> (+<contact>)`; without a contact (a crawl on loopback) only the product. */
export function defaultUserAgent(contact: string | undefined): string {
  const product = `${PRODUCT}/${packageVersion()}`;
  return contact === undefined ? product : `${product} (+${contact})`;
}

/** The product token of a user agent, the word robots.txt groups are matched with (RFC 9309, 2.2.1). */
export function productToken(userAgent: string): string {
  return /^[a-z_-]+/i.exec(userAgent)?.[0] ?? PRODUCT;
}

/** Why a user agent cannot be sent in a header, or undefined. */
export function userAgentRefusal(text: string): string | undefined {
  if (!/^[a-z_-]/i.test(text)) return "it does not start with a product name";
  return headerRefusal(text, 400);
}

/** Why a contact cannot be part of a header comment, or undefined. */
export function contactRefusal(text: string): string | undefined {
  if (/[()\\]/.test(text)) return "it contains a parenthesis or a backslash";
  return headerRefusal(text, 200);
}

// One header line: visible ASCII and spaces, so that nothing typed can start a second header.
function headerRefusal(text: string, maxChars: number): string | undefined {
  if (text.trim() === "") return "it is empty";
  if (text.length > maxChars) return `it is longer than ${maxChars} characters`;
  if (!/^[\x20-\x7e]+$/.test(text)) return "it contains characters that do not belong in a header";
  return text === text.trim() ? undefined : "it starts or ends with a space";
}
