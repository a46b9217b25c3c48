// Clients of a dashboard that ask what its page asks, as often as it does (src/dashboard/public/app.js), until their parent
// ends them. Answers are read and thrown away.
//   node dashboard-clients.child.mjs ADDRESS CLIENTS
const { origin, searchParams } = new URL(process.argv[2]);
const clients = Number(process.argv[3]);
const headers = { Authorization: `Bearer ${searchParams.get("token")}` };

const HOSTS = "api/hosts?search=&sort=queued&offset=0&limit=25";
/** What is asked for, and every how many milliseconds. */
const QUESTIONS = [
  ["api/series?points=400&last=600", 2000],
  [HOSTS, 3000],
  ["api/pages", 3000],
  ["api/failures", 5000],
  ["api/exchanges", 5000],
  ["api/links", 15_000],
];

async function ask(path) {
  const response = await fetch(`${origin}/${path}`, { headers });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  await response.arrayBuffer();
}

async function repeat(path, everyMs) {
  for (;;) {
    await ask(path);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function listen() {
  const response = await fetch(`${origin}/api/events`, { headers });
  for await (const _ of response.body);
}

/** The crawl ends before its clients do. */
const ended = () => process.exit(0);
for (let client = 0; client < clients; client++) {
  void listen().then(ended, ended);
  // People do not open pages in the same instant.
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const [path, everyMs] of QUESTIONS) void repeat(path, everyMs).catch(ended);
}
