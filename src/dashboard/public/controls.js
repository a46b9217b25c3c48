// Changes the course of the crawl. What cannot be taken back is asked for first.

import { post } from "./api.js";
import { count, element, milliseconds } from "./format.js";

const byId = (id) => document.getElementById(id);

const MAX_LISTED = 20;
const SAID_MS = 15_000;
let forgetting;

/** Says something for a while, wherever on the page somebody is. */
function say(text) {
  byId("said").textContent = text;
  clearTimeout(forgetting);
  forgetting = setTimeout(() => say(""), SAID_MS);
}

/** Says what became of a change; a refusal is said as well. */
async function change(action, body, done) {
  try {
    say(done(await post(action, body)));
  } catch (error) {
    say(`Not changed: ${error.message}.`);
  }
}

/** What was changed by hand so far, in words. */
function changesText({ blockedHosts, hosts, seeds }) {
  const settings = hosts.map(({ host, delayMs, connections, budget }) => {
    const parts = [
      delayMs === undefined ? [] : [`delay ${milliseconds(delayMs)}`],
      connections === undefined ? [] : [`${count(connections)} at once`],
      budget === undefined ? [] : [`at most ${count(budget)} pages of its site`],
    ];
    return `${host} (${parts.flat().join(", ")})`;
  });
  return [
    seeds > 0 ? `Seeds added: ${count(seeds)}.` : "",
    blockedHosts.length > 0 ? `Blocked: ${listOf(blockedHosts)}.` : "",
    settings.length > 0 ? `Changed: ${listOf(settings)}.` : "",
  ]
    .filter((text) => text !== "")
    .join(" ");
}

function listOf(texts) {
  const rest = texts.length - MAX_LISTED;
  const more = rest > 0 ? [`and ${count(rest)} more`] : [];
  return [...texts.slice(-MAX_LISTED), ...more].join(", ");
}

/** Asks in a dialog; settles with what was chosen, or undefined. */
function ask(title, text, yes, fields = []) {
  const dialog = byId("ask");
  byId("ask-title").textContent = title;
  byId("ask-text").textContent = text;
  byId("ask-yes").textContent = yes;
  byId("ask-fields").replaceChildren(...fields);
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

function field(id, label, value, max) {
  const name = element("label", label);
  name.htmlFor = id;
  const input = element("input");
  Object.assign(input, { id, type: "number", min: 0, max, placeholder: value ?? "as it is" });
  return [name, input];
}

export class Controls {
  #isPaused = false;

  constructor() {
    byId("pause").addEventListener("click", () => this.#pauseOrGoOn());
    byId("stop").addEventListener("click", () => this.#stop());
    byId("add-seeds").addEventListener("submit", (event) => {
      event.preventDefault();
      const urls = byId("seeds")
        .value.split(/\s+/)
        .filter((line) => line !== "");
      void change("add-seeds", { urls }, ({ added, known, refused }) => {
        byId("seeds").value = "";
        const why = refused.map(({ url, reason }) => `${url}: ${reason}`).join("; ");
        return `Added ${added} ${added === 1 ? "seed" : "seeds"}, ${known} were known, ${refused.length} refused${why && `: ${why}`}.`;
      });
    });
    byId("set-links").addEventListener("submit", (event) => {
      event.preventDefault();
      const links = Number(byId("links-per-thread").value);
      void change(
        "set-links",
        { links },
        () => `Each thread may have ${links} requests in flight.`,
      );
    });
    document.addEventListener("keydown", (event) => this.#onKey(event));
  }

  show({ control, figures }) {
    const isLive = control !== null && ["running", "paused", "starting"].includes(figures.state);
    byId("buttons").hidden = !isLive;
    byId("course").hidden = !isLive;
    this.#isPaused = figures.state === "paused";
    const changes = control === null ? "" : changesText(control);
    if (byId("changes").textContent !== changes) byId("changes").textContent = changes;
    byId("pause").textContent = this.#isPaused ? "Go on" : "Pause";
    const links = byId("links-per-thread");
    if (links.value === "" && figures.threads > 0)
      links.value = String(Math.round(figures.places / figures.threads));
  }

  #onKey(event) {
    // Back to the keys of the page; a dialog closes by itself.
    if (event.key === "Escape" && event.target.closest("dialog") === null) event.target.blur();
    const isTyping = event.target.closest("input, textarea, select, dialog, summary") !== null;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      byId("host-search").focus();
    } else if (byId("buttons").hidden) return;
    else if (event.key === "p") void this.#pauseOrGoOn();
    else if (event.key === "s") void this.#stop();
  }

  #pauseOrGoOn() {
    return this.#isPaused
      ? change("go-on", {}, () => "The crawl goes on.")
      : change("pause", {}, () => "The crawl is paused: requests in flight end, no more begin.");
  }

  async #stop() {
    const text = "What is in flight is finished and committed. orbweaver resume goes on later.";
    if (await ask("Stop the crawl?", text, "Stop")) await change("stop", {}, () => "Stopping.");
  }

  /** Delay, connections, budget, or blocking. */
  async changeHost({ name, delayMs }) {
    const block = element("input");
    Object.assign(block, { type: "checkbox", id: "host-block" });
    const label = element("label");
    label.append(block, " Block this host: its URLs are not fetched any more");
    const fields = [
      ...field("host-delay", "Delay in milliseconds", delayMs, 86_400_000),
      ...field("host-connections", "Connections at once", undefined, 256),
      ...field("host-budget", "Pages of its site at most", undefined, 2 ** 31 - 1),
      label,
    ];
    if (!(await ask(`Change ${name}`, "What stays empty stays as it is.", "Change", fields)))
      return;
    if (block.checked) return change("block-host", { host: name }, () => `${name} is blocked.`);
    const body = { host: name };
    for (const [id, key] of [
      ["host-delay", "delayMs"],
      ["host-connections", "connections"],
      ["host-budget", "budget"],
    ]) {
      const { value } = fields.find((one) => one.id === id);
      if (value !== "") body[key] = Number(value);
    }
    return change("set-host", body, () => `${name} is changed.`);
  }
}
