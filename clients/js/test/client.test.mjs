// Tests of the client against a real server, at BESTPICK_TEST_URL with the owner's token BESTPICK_TEST_TOKEN, and
// against one that fails in ways the real one rarely does.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";

import { generate } from "../generate.mjs";
import * as bestpick from "../index.js";

const { Client, ConnectionError, ProblemError, problems } = bestpick;
const url = process.env.BESTPICK_TEST_URL;
const token = process.env.BESTPICK_TEST_TOKEN;

/** Sends a request that the client has no method for. */
async function owner(method, path, body) {
  const reply = await fetch(`${url}/api/v1${path}`, { method, body, headers: { Authorization: `Bearer ${token}` } });
  assert.ok(reply.ok, `${method} ${path}: ${reply.status}`);
  return reply;
}

/** Creates and opens a study of four lamps. */
async function opened(settings = {}) {
  const form = new FormData();
  form.set("name", "Lamps");
  form.set("prompt", "Which?");
  form.set("settings", JSON.stringify({ k: 2, grace_seconds: -1, ...settings }));
  form.set("catalogue", new Blob(["id,label,price\n..,Two dots,10\na/b,Slash,20\norb,Orb,30\nreed,Reed,45\n"]), "lamps.csv");
  const { study } = await (await owner("POST", "/studies", form)).json();
  await owner("POST", `/studies/${study.id}/open`);
  return study.id;
}

const refused = (type) => (error) => error instanceof ProblemError && error.type === type;

test("a respondent answers, skips and takes back", async () => {
  const study = await opened({ grace_seconds: 60, each: 3 });
  const client = new Client(url + "/");
  await assert.rejects(client.ask(study, { respondent: "anna" }), refused(problems.forbidden));
  const { respondent } = await client.welcome(study);
  const question = await client.ask(study, { respondent });
  assert.deepEqual([question.respondent, question.prompt, question.arms.length], [respondent, "Which?", 2]);
  const [first, second] = question.arms.map((arm) => arm.id);
  await client.answer(study, question.token, first);
  await client.answer(study, question.token, [first]);
  await assert.rejects(client.answer(study, question.token, second), refused(problems.conflict));
  await client.undo(study, question.token);
  const next = await client.answerAndAsk(study, question.token, second);
  assert.equal(next.respondent, respondent);
  await client.skip(study, next.token);
  await client.skip(study, next.token);
  const last = await client.ask(study, { respondent });
  assert.equal(await client.answerAndAsk(study, last.token, last.arms[0].id), undefined);
  await assert.rejects(client.ask(study, { respondent }), refused(problems.enough));
  await assert.rejects(client.skip(study, "made up"), refused(problems.badToken));
  await assert.rejects(client.answer(study, question.token, ["nothing"]), ProblemError);
  await assert.rejects(client.verdict(study), refused(problems.unauthorized));
  await assert.rejects(client.ask("..", {}), refused(problems.notFound));
});

test("none of the arms is an answer where it is offered", async () => {
  const study = await opened({ outside: true, assume: "linear", fallback: 0 });
  const client = new Client(url);
  const question = await client.ask(study);
  assert.equal(question.none, true);
  await client.answer(study, question.token, { none: true });
  const rows = await (await owner("GET", `/studies/${study}/export/answers?format=jsonl`)).text();
  assert.match(rows, /"none"/);
});

test("events show the verdict until the study is done", async () => {
  const study = await opened({ budget: 12, assume: "linear", fallback: 0 });
  const viewer = new Client(url, { token });
  const answering = (async () => {
    for (let i = 0; i < 12; i++) {
      const question = await viewer.ask(study, { respondent: `person ${i}` });
      await viewer.answer(study, question.token, question.arms[0].id);
    }
  })();
  const verdicts = [];
  for await (const verdict of viewer.events(study)) verdicts.push(verdict);
  await answering;
  assert.deepEqual([verdicts[0].status, verdicts.at(-1).state], ["asking", "done"]);
  assert.deepEqual(verdicts.at(-1), await viewer.verdict(study));
});

test("events can be left", async () => {
  const study = await opened();
  const viewer = new Client(url, { token });
  for await (const verdict of viewer.events(study)) {
    assert.equal(verdict.state, "open");
    break;
  }
  const controller = new AbortController();
  const events = viewer.events(study, { signal: controller.signal });
  await events.next();
  const waiting = events.next();
  controller.abort();
  await assert.rejects(waiting);
});

test("the types are those of the OpenAPI document", async () => {
  const document = await (await fetch(`${url}/api/v1/openapi.json`)).json();
  const checked = await readFile(new URL("../api.d.ts", import.meta.url), "utf8");
  assert.equal(checked, generate(document), "run: node generate.mjs URL/api/v1/openapi.json > api.d.ts");
});

test("every export has a type", async () => {
  const types = await readFile(new URL("../index.d.ts", import.meta.url), "utf8");
  for (const name of Object.keys(bestpick)) assert.match(types, new RegExp(`export (class|const) ${name}\\b`));
  for (const name of Object.getOwnPropertyNames(Client.prototype)) assert.match(types, new RegExp(`\\b${name}\\(`));
  for (const name of Object.keys(problems)) assert.match(types, new RegExp(`readonly ${name}: string`));
});

/** Runs a test with a client of a server that replies to each request as the next step says. */
async function withSteps(steps, run) {
  const requests = [];
  const server = createServer((request, reply) => {
    request.resume();
    request.on("end", () => {
      requests.push(`${request.method} ${request.url}`);
      steps.shift()(reply);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await run(new Client(`http://127.0.0.1:${server.address().port}`, { timeout: 20_000, waits: [0, 0, 0] }), requests);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const respond = (status, body = "", headers = {}) => (reply) => reply.writeHead(status, headers).end(body);
const hangUp = (reply) => reply.destroy();
const limited = respond(429, '{"type": "urn:bestpick:too-many", "status": 429}', { "Retry-After": "0" });
const busy = respond(503, '{"type": "urn:bestpick:no-question", "status": 503}', { "Retry-After": "0" });
const answered = respond(200, '{"kind": "answered"}');

test("safe requests are sent again", () =>
  withSteps([hangUp, busy, limited, respond(200, "{"), answered], async (client, requests) => {
    await client.answer("s", "t", "a");
    assert.deepEqual(requests, Array(5).fill("POST /api/v1/studies/s/answers"));
  }));

test("others are sent again only if the server has done nothing", () =>
  withSteps([limited, limited, limited, limited, limited, answered, busy, hangUp], async (client, requests) => {
    await client.undo("s", "t");
    assert.equal(requests.length, 6);
    await assert.rejects(client.undo("s", "t"), refused(problems.noQuestion));
    await assert.rejects(client.undo("s", "t"), ConnectionError);
    assert.equal(requests.length, 8);
  }));

test("not without end", () =>
  withSteps([...Array(4).fill(busy), ...Array(4).fill(hangUp), respond(429, "", { "Retry-After": "25" })], async (client, requests) => {
    await assert.rejects(client.ask("s"), refused(problems.noQuestion));
    await assert.rejects(client.ask("s"), ConnectionError);
    await assert.rejects(client.ask("s"), (error) => error.status === 429 && error.retryAfter === 25_000);
    assert.equal(requests.length, 9);
  }));

test("events go on after a loss", () => {
  const verdict = (answers, state = "open") => `: beat\nid: 1\nevent: verdict\ndata: ${JSON.stringify({ answers, state })}\n\n`;
  const cut = (reply) => {
    reply.writeHead(200);
    reply.write(verdict(1) + verdict(2).slice(0, 30), () => reply.destroy());
  };
  const steps = [cut, hangUp, busy, respond(200, (verdict(1) + verdict(2)).replaceAll("\n", "\r\n")), respond(200, verdict(3, "done") + verdict(4))];
  return withSteps(steps, async (client) => {
    const seen = [];
    for await (const { answers } of client.events("s")) seen.push(answers);
    assert.deepEqual(seen, [1, 2, 3]);
  });
});

test("other servers and redirects are errors", () =>
  withSteps([respond(404, "<html>"), respond(500, "[1]"), respond(302, "", { Location: "/elsewhere" })], async (client) => {
    await assert.rejects(client.verdict("s"), (error) => error.status === 404);
    await assert.rejects(client.verdict("s"), (error) => error.status === 500 && error.message !== "");
    client.waits = [];
    await assert.rejects(client.verdict("s"), ConnectionError);
  }));
