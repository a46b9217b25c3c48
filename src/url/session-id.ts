// Session ids as the archive tools know them (webarchive-commons, surt): fixed lengths, so that "sid=42" stays.

// "/(S(24 characters))/page.aspx" and "/(24 characters)/page.aspx": ASP.NET without cookies.
const PATH_FORMS = [
  /^(.*\/)\((?:[a-z]\([0-9a-z]{24}\))+\)\/([^?]+\.aspx.*)$/i,
  /^(.*\/)\([0-9a-z]{24}\)\/([^?]+\.aspx.*)$/i,
];

const QUERY_FORMS = [
  /^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)sid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$/i,
  /^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$/i,
];

const HAS_PATH_FORM = /\.aspx/i;
const HAS_QUERY_FORM = /sid=|sessionid|cftoken=/i;

/** A path without the session id that ASP.NET writes into it. */
export function stripPathSessionId(path: string): string {
  return HAS_PATH_FORM.test(path) ? strip(path, PATH_FORMS) : path;
}

/** A query (without "?") without the session ids of Java, PHP, ASP and ColdFusion. */
export function stripQuerySessionId(query: string): string {
  return HAS_QUERY_FORM.test(query) ? strip(query, QUERY_FORMS) : query;
}

function strip(text: string, forms: readonly RegExp[]): string {
  let left = text;
  for (const form of forms) {
    const match = form.exec(left);
    if (match !== null) left = match[1]! + (match[2] ?? "");
  }
  return left;
}
