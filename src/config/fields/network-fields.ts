import { withDefault } from "../field.ts";
import { duration, list, size, text, toggle, whole } from "../values/kinds.ts";
import { allowPrivateRefusal, nameServerRefusal, parseResolve } from "../values/network-values.ts";

const group = "Addresses and connections";

function resolveRefusal(word: string): string | undefined {
  const parsed = parseResolve(word);
  return typeof parsed === "string" ? parsed : undefined;
}

/** Fields about addresses, connections and their deadlines. */
export const network = {
  allowPrivate: withDefault(
    list(
      text(
        "CIDR|HOST",
        "an address, a range such as 10.0.0.0/8, or a host name",
        allowPrivateRefusal,
      ),
    ),
    () => [],
    {
      flag: "allow-private",
      group,
      about:
        "permit private, loopback and link-local addresses, which are refused otherwise; of a host, those that it has when the crawl begins",
      examples: ["--allow-private 10.0.0.0/8", "--allow-private intranet.example"],
      repeatable: true,
    },
  ),
  resolve: withDefault(
    list(text("HOST:ADDR:PORT", "HOST:ADDR:PORT, an IPv6 address in brackets", resolveRefusal)),
    () => [],
    {
      flag: "resolve",
      group,
      about: "connect to this address and port for this host, whatever the name servers say",
      examples: ["--resolve www.example.org:127.0.0.1:8080", "--resolve a.example:[::1]:8080"],
      repeatable: true,
    },
  ),
  nameServers: withDefault(
    list(text("ADDR[:PORT]", "an IP address, IPv6 in brackets before a port", nameServerRefusal)),
    () => [],
    {
      flag: "name-server",
      group,
      about: "ask these name servers instead of those of this machine",
      examples: ["--name-server 9.9.9.9", "--name-server 127.0.0.1:5353"],
      repeatable: true,
    },
  ),
  insecure: withDefault(toggle(), false, {
    flag: "insecure",
    group,
    about: "accept TLS certificates that cannot be verified",
    examples: ["--insecure"],
  }),
  connectTimeoutMs: withDefault(duration(1), 10_000, {
    flag: "connect-timeout",
    group,
    about: "deadline for a connection, TLS included",
    examples: ["--connect-timeout 5s"],
  }),
  firstByteTimeoutMs: withDefault(duration(1), 20_000, {
    flag: "first-byte-timeout",
    group,
    about: "deadline for the head of the response, counted from the request",
    examples: ["--first-byte-timeout 10s"],
  }),
  totalTimeoutMs: withDefault(duration(1), 60_000, {
    flag: "total-timeout",
    group,
    about: "deadline for the whole response",
    examples: ["--total-timeout 2m"],
  }),
  minRateBytesPerS: withDefault(whole(0, 1_000_000_000), 256, {
    flag: "min-rate",
    group,
    about: "give up on a response that brings fewer bytes per second over 15 s; 0 = never",
    examples: ["--min-rate 1000"],
  }),
  retries: withDefault(whole(0, 10), 2, {
    flag: "retries",
    group,
    about: "how often a failed request is tried again, each time after a longer pause",
    examples: ["--retries 0"],
  }),
  maxRedirects: withDefault(whole(0, 100), 10, {
    flag: "max-redirects",
    group,
    about: "redirects followed from one URL",
    examples: ["--max-redirects 5"],
  }),
  maxBodyBytes: withDefault(size(1), 10_485_760, {
    flag: "max-body",
    group,
    about: "cut a response, decoded, at this size; what was received is kept and marked",
    examples: ["--max-body 2MiB"],
  }),
};
