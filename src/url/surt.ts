/** Sortable key of a URL: host labels reversed, then path and query in lower case. */
export function surtKey(url: string): string {
  const { hostname, port, pathname, search } = new URL(url);
  const host = hostname
    .replace(/^www\d*\./, "")
    .split(".")
    .reverse()
    .join(",");
  return `${host}${port === "" ? "" : `:${port}`})${pathname}${search}`.toLowerCase();
}
