/** What to do about failures, by the first words of a code; the first that fits counts. */
const ADVICE: readonly [codes: RegExp, advice: string][] = [
  [/^http_401/, "the page needs a login, which this crawler has not"],
  [
    /^http_403/,
    "the site refuses crawlers, or this many requests: ask its owner, or raise --delay",
  ],
  [/^http_404/, "dead links: nothing to do; orbweaver links DIR URL tells where they are"],
  [/^http_410/, "the page was removed: nothing to do"],
  [/^http_429/, "the site asks for fewer requests: raise --delay for this host"],
  [/^http_5/, "the server fails: lower --per-host or raise --delay, and resume later"],
  [
    /^http_/,
    "look at the page in a browser: the server answers so to everybody, or to crawlers only",
  ],
  [/^robots_status_/, "robots.txt cannot be read, so nothing may be asked: try again later"],
  [/^robots/, "the site does not want these pages crawled: nothing to do"],
  [/^crawl_delay_too_long/, "the site asks for more than 5 minutes between requests: leave it out"],
  [/^dns_not_found/, "check the spelling of the host; dead hosts need nothing"],
  [/^dns_not_asked/, "give --contact, so that name servers may be asked"],
  [/^dns_/, "check the name servers of this machine, or give --name-server"],
  [/^contact_required/, "give --contact"],
  [/^blocked_private_address/, "if it is yours, give --allow-private"],
  [/^blocked_/, "nothing to do: no web page is there"],
  [/^connection_refused/, "the server is down, or the port is wrong"],
  [
    /^connect_timeout/,
    "the server is down or behind a firewall; --connect-timeout gives it longer",
  ],
  [/^first_byte_timeout/, "the server is slow: lower --per-host, or raise --first-byte-timeout"],
  [/^header_timeout/, "the server is slow: lower --per-host, or raise --first-byte-timeout"],
  [/^total_timeout/, "the server is slow: raise --total-timeout"],
  [/^too_slow/, "the server is slow: lower --min-rate"],
  [/^unreachable/, "there is no way to the address: check the network of this machine"],
  [/^reset/, "the server drops connections: lower --per-host or raise --delay"],
  [/^connection_lost/, "the server drops connections: lower --per-host or raise --delay"],
  [/^too_many_files/, "allow more open files (ulimit -n), or lower --links-per-thread"],
  [/^proxy_refused/, "check --proxy"],
  [/^tls_/, "the certificate is at fault; --insecure visits the page all the same"],
  [/^host_unavailable/, "the host did not answer: orbweaver resume tries again"],
  [/^host_blocked/, "you have blocked this host"],
  [/^max_pages_per_site/, "the site has its share; --max-pages-per-site raises it"],
  [/^content_type/, "--accept keeps other types, too"],
  [/^body_too_large/, "--max-body keeps more"],
  [/^too_many_redirects/, "nothing to do, or raise --max-redirects"],
  [/^redirect_loop/, "the site redirects in a circle; --cookies may help"],
  [/^bad_redirect/, "nothing to do: the site is at fault"],
  [/^trap_/, "pages without an end are left out; orbweaver check url tells why"],
];

/** What somebody can do about a failure, in words. */
export function adviceOn(code: string): string {
  const found = ADVICE.find(([codes]) => codes.test(code));
  return found?.[1] ?? "nothing to do: docs/outcomes.md explains the code";
}
