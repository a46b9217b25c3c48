// Uses the crawler's URLs and robots.txt rules alone. Run: node examples/09-url-and-robots.js
import { RobotsRules } from "orbweaver/robots";
import { canonicalize, partsOf, siteOf, surtKey } from "orbweaver/url";

const url = canonicalize("HTTP://WWW.Example.co.uk:80/a/../b?x=1#top");
console.log(url, siteOf("www.example.co.uk"), surtKey(url));

const text = "User-agent: *\nDisallow: /b\nAllow: /b?x\nCrawl-delay: 2\n";
const rules = RobotsRules.parse(Buffer.from(text), "Orbweaver");
for (const path of ["/b", "/b?x=1"]) {
  const { target } = partsOf(canonicalize(path, url));
  console.log(path, rules.verdict(target).allowed ? "allowed" : "forbidden", rules.crawlDelayMs);
}
