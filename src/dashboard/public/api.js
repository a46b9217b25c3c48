// Talks to the server. The token comes with the address once, and then stays in this tab only.

const given = new URLSearchParams(location.search).get("token");
if (given !== null) {
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", location.pathname);
}
const token = sessionStorage.getItem("token") ?? "";

const RETRY_MS = 2000;

function headers(more) {
  return { Authorization: `Bearer ${token}`, ...more };
}

/** The answer of a path; throws an error with a sentence for people. */
export async function get(path) {
  const response = await fetch(path, { headers: headers() });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
  return answer;
}

export async function post(action, body = {}) {
  const response = await fetch(`api/control/${action}`, {
    method: "POST",
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
  return answer.result;
}

/** Calls back with each status, and with a sentence when there is none; connects again until the page is left. */
export async function listen(onStatus, onProblem) {
  for (;;) {
    try {
      await readEvents(onStatus, onProblem);
      onProblem("The connection was closed: the crawl may have ended. Trying again …");
    } catch (error) {
      onProblem(
        error.isRefused
          ? `The dashboard refuses this page: ${error.message}. Open the address that the crawl has printed.`
          : "The dashboard does not answer: the crawl may have ended. Trying again …",
      );
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readEvents(onStatus, onProblem) {
  const response = await fetch("api/events", { headers: headers() });
  if (!response.ok) {
    const { error } = await response.json();
    throw Object.assign(new Error(error), { isRefused: true });
  }
  onProblem("");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    const last = events.at(-1);
    const data = last?.split("\n").find((line) => line.startsWith("data: "));
    if (data !== undefined) onStatus(JSON.parse(data.slice("data: ".length)));
  }
}
