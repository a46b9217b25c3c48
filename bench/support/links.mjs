const NO_CHAIN = [];

/** Links of a page that `linksOf` makes. */
export const LINKS = 100;

/** The home pages of hosts. */
export function seedsOf(hosts) {
  return Array.from({ length: hosts }, (_, i) => flat(`https://www.example-${i}.org/`));
}

/** Links of a page: `LINKS` URLs of 74 characters on its own host that no other page has. */
export function linksOf(lease) {
  const { url: parent, depth, host } = lease;
  // The page's fingerprint makes its links different from those of all others.
  const mark = ((lease.high >>> 0) * 2 ** 20 + (lease.low & 0xfffff)).toString(36);
  return Array.from({ length: LINKS }, (_, i) => {
    const text = `https://${host.name}/articles/${mark}/${i * 7919}-`;
    return foundLink(flat(text.padEnd(74, "a-story-about-spiders-")), parent, depth + 1);
  });
}

/** A link as the frontier gets it from a page. */
export function foundLink(url, parent, depth) {
  return { url, parent, depth, via: "link", seed: false, chain: NO_CHAIN };
}

/** Goes through bytes, so that the string is one piece, as one that was cut out of a page. */
export function flat(text) {
  return Buffer.from(text, "latin1").toString("latin1");
}
