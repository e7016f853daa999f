// Outcomes that the server has not acknowledged yet. They are stored before they are sent, and sent
// in order until there is a reply. Sending is idempotent: a token stands for one question.

import * as storage from './storage.js';

const patience = 10_000; // milliseconds for a reply
const longest = 30_000; // the longest backoff
const enough = 'urn:bestpick:enough'; // the respondent has answered all questions, perhaps in another tab

export class Outbox {
  #prefix;
  #address;
  #told;
  #sending = null; // the loop that sends
  #current = ''; // the key of the outcome being sent
  #waiting = new Map(); // resolve functions of promises, by key
  #count = 0;
  #failures = 0;
  #timer = 0;

  // api is the address of the API. told is called with keeping, sent, lost or enough.
  constructor(api, study, told) {
    this.#prefix = `bestpick/outbox/${study}/`;
    this.#address = `${api}/studies/${encodeURIComponent(study)}/`;
    this.#told = told;
    window.addEventListener('online', () => this.flush());
  }

  get empty() {
    return this.#keys().length === 0;
  }

  #keys() {
    return storage.keys(this.#prefix);
  }

  // add stores an outcome to send: operation is answers, skips or undos. The promise resolves to
  // the result of the first attempt: done, later, or the type of the problem.
  add(operation, body) {
    this.#count += 1;
    const moment = `${String(Date.now()).padStart(15, '0')}-${String(this.#count).padStart(6, '0')}`;
    const key = this.#prefix + moment;
    storage.set(key, JSON.stringify({ operation, body }));
    const outcome = new Promise((resolve) => this.#waiting.set(key, resolve));
    this.flush();
    return outcome;
  }

  // cancel removes an answer that was not sent, or may not have arrived.
  cancel(token) {
    for (const key of this.#keys()) {
      const { operation, body } = JSON.parse(storage.get(key));
      if (operation === 'answers' && body.token === token && key !== this.#current) {
        storage.remove(key);
        return true;
      }
    }
    return false;
  }

  // forget removes the outcome that was added last.
  forgetLast() {
    const key = this.#keys().at(-1);
    if (key && key !== this.#current) storage.remove(key);
  }

  // flush sends all outcomes. The promise resolves to whether that succeeded.
  flush() {
    clearTimeout(this.#timer);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #send() {
    for (let key = this.#keys()[0]; key; key = this.#keys()[0]) {
      const { operation, body } = JSON.parse(storage.get(key));
      this.#current = key;
      const outcome = await post(this.#address + operation, body);
      this.#current = '';
      if (outcome === 'later') {
        this.#later();
        return false;
      }
      storage.remove(key);
      this.#resolve(key, outcome);
      if (outcome !== 'done' && operation !== 'undos') this.#told(outcome === enough ? 'enough' : 'lost');
    }
    if (this.#failures > 0) {
      this.#failures = 0;
      this.#told('sent');
    }
    return true;
  }

  #later() {
    this.#failures += 1;
    for (const key of [...this.#waiting.keys()]) this.#resolve(key, 'later');
    this.#timer = setTimeout(() => this.flush(), Math.min(longest, 1000 * 2 ** (this.#failures - 1)));
    this.#told('keeping');
  }

  #resolve(key, outcome) {
    this.#waiting.get(key)?.(outcome);
    this.#waiting.delete(key);
  }
}

// post sends an outcome. It returns done, later if a retry may help, or the type of the problem.
async function post(address, body) {
  try {
    const reply = await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      keepalive: true,
      signal: AbortSignal.timeout(patience),
    });
    if (reply.ok) return 'done';
    if (reply.status === 429 || reply.status === 408 || reply.status >= 500) return 'later';
    const problem = await reply.json();
    return problem.type === 'urn:bestpick:not-answered' ? 'done' : problem.type;
  } catch {
    return 'later';
  }
}
