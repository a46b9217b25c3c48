// The table of hosts: searched, sorted and cut into pages by the server.

import { get } from "./api.js";
import { count, element, milliseconds } from "./format.js";

const LIMIT = 25;
const TYPING_MS = 200;

export class Hosts {
  #offset = 0;
  #total = 0;
  #asked = 0;
  #onChange;

  /** `onChange` opens the settings of a host; undefined when nothing can be changed. */
  constructor(onChange) {
    this.#onChange = onChange;
    let timer;
    byId("host-search").addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#turn(0), TYPING_MS);
    });
    byId("host-sort").addEventListener("change", () => this.#turn(0));
    byId("host-back").addEventListener("click", () => this.#turn(this.#offset - LIMIT));
    byId("host-on").addEventListener("click", () => this.#turn(this.#offset + LIMIT));
  }

  #turn(offset) {
    this.#offset = Math.max(0, offset);
    // A server that is gone is told about elsewhere.
    this.update().catch(() => {});
  }

  async update() {
    const asked = ++this.#asked;
    const query = new URLSearchParams({
      search: byId("host-search").value,
      sort: byId("host-sort").value,
      offset: String(this.#offset),
      limit: String(LIMIT),
    });
    const { total, hosts } = await get(`api/hosts?${query}`);
    // Somebody has typed on meanwhile.
    if (asked !== this.#asked) return;
    this.#total = total;
    this.#show(hosts);
  }

  #show(hosts) {
    const body = byId("hosts");
    const focused = document.activeElement?.dataset?.host;
    body.replaceChildren(...hosts.map((host) => this.#row(host)));
    if (focused !== undefined)
      for (const button of body.querySelectorAll("button"))
        if (button.dataset.host === focused) button.focus();
    const from = this.#offset + 1;
    const to = this.#offset + hosts.length;
    byId("host-count").textContent =
      `${count(this.#total)} ${this.#total === 1 ? "host" : "hosts"}`;
    byId("host-range").textContent = hosts.length > 0 ? `${count(from)} to ${count(to)}` : "none";
    byId("host-back").disabled = this.#offset === 0;
    byId("host-on").disabled = to >= this.#total;
  }

  #row(host) {
    const row = element("tr");
    const name = element("th", host.name, "long");
    name.scope = "row";
    row.append(name);
    const next = host.nextMs === null ? "–" : host.nextMs === 0 ? "now" : milliseconds(host.nextMs);
    for (const text of [
      // What waits is known to the process of the crawl alone.
      this.#onChange ? count(host.queued) : "–",
      count(host.done),
      count(host.failed),
      milliseconds(host.delayMs),
      host.queued > 0 || host.inFlight > 0 ? next : "–",
      host.failures > 0 ? `${host.failures} ×` : "–",
    ])
      row.append(element("td", text, "number"));
    row.append(element("td", host.robots ?? "–", "long"));
    const cell = element("td");
    if (this.#onChange) {
      const button = element("button", "Change…");
      button.type = "button";
      button.dataset.host = host.name;
      button.setAttribute("aria-label", `Change ${host.name}`);
      button.addEventListener("click", () => this.#onChange(host));
      cell.append(button);
    }
    row.append(cell);
    return row;
  }
}

function byId(id) {
  return document.getElementById(id);
}
