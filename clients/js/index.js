// A client of bestpick for respondents and for viewers of results. It needs nothing but fetch, so that it runs in
// browsers and in Node.js 18 or later.

/** The types of problems that clients handle differently. */
export const problems = Object.freeze({
  badToken: "urn:bestpick:bad-token",
  conflict: "urn:bestpick:conflict",
  done: "urn:bestpick:done",
  draft: "urn:bestpick:draft",
  enough: "urn:bestpick:enough",
  forbidden: "urn:bestpick:forbidden",
  full: "urn:bestpick:full",
  invalid: "urn:bestpick:invalid",
  lapsed: "urn:bestpick:lapsed",
  noConsent: "urn:bestpick:no-consent",
  noProfile: "urn:bestpick:no-profile",
  noQuestion: "urn:bestpick:no-question",
  notFound: "urn:bestpick:not-found",
  notMember: "urn:bestpick:not-member",
  paused: "urn:bestpick:paused",
  quotaFull: "urn:bestpick:quota-full",
  notEligible: "urn:bestpick:not-eligible",
  replaced: "urn:bestpick:replaced",
  tooLate: "urn:bestpick:too-late",
  tooMany: "urn:bestpick:too-many",
  unauthorized: "urn:bestpick:unauthorized",
});

/** An error that the server has described. Tell problems apart by type. */
export class ProblemError extends Error {
  constructor(problem, retryAfter) {
    const details = (problem.errors ?? []).map((e) => (e.location ? `${e.location}: ${e.message}` : e.message));
    super(details.join("; ") || problem.detail || problem.title || `status ${problem.status}`);
    this.name = "ProblemError";
    this.problem = problem;
    this.type = problem.type ?? "about:blank";
    this.status = problem.status;
    this.retryAfter = retryAfter; // in milliseconds; undefined if sending the request again would not help
  }
}

/** The server cannot be reached, or its reply ends too early. */
export class ConnectionError extends Error {
  constructor(cause) {
    super(`the server cannot be reached: ${cause?.message ?? cause}`, { cause });
    this.name = "ConnectionError";
  }
}

const longestWait = 30_000; // milliseconds

export class Client {
  #token;

  /** url is the address of the server. Respondents need no token. */
  constructor(url, { token, timeout = 60_000, waits = [250, 500, 1000, 2000] } = {}) {
    this.url = String(url).replace(/\/+$/, "");
    this.timeout = timeout; // milliseconds for a request, and for all attempts while the server limits the rate
    this.waits = waits; // milliseconds before a request is sent again, after the first failure, the second and so on
    this.#token = token;
  }

  /**
   * Asks for a question. The first one of a respondent with a name, which the welcome has, deals all questions of their
   * session. Without a name the respondent is another person each time, with this one question. An owner's token may
   * name respondents as it likes.
   */
  ask(study, ask = {}, options = {}) {
    return this.#post(study, "questions", ask, { ...options, safe: true });
  }

  /**
   * Reads what respondents see before the first question: texts by language, and whether they must agree to one. It also
   * has a name for one respondent, if anyone with the link may answer.
   */
  welcome(study, options = {}) {
    return this.#call("GET", `${path(study)}/welcome`, undefined, { ...options, safe: true });
  }

  /** Answers a question with the ids of the arms picked, best first. Sending it again changes nothing. */
  async answer(study, token, picks, options = {}) {
    await this.#post(study, "answers", { token, ...given(picks) }, { ...options, safe: true });
  }

  /** Answers a question and returns the next one; undefined if none is available at once: then ask. */
  async answerAndAsk(study, token, picks, options = {}) {
    const body = { token, ...given(picks), next: true };
    return (await this.#post(study, "answers", body, { ...options, safe: true })).next;
  }

  /** Reports that the respondent cannot decide. Sending it again changes nothing. */
  async skip(study, token, options = {}) {
    await this.#post(study, "skips", { token }, { ...options, safe: true });
  }

  /** Takes an answer back while it is not counted. */
  async undo(study, token, options = {}) {
    await this.#post(study, "undos", { token }, options);
  }

  /** Reads the verdict. It needs a token. */
  verdict(study, options = {}) {
    return this.#call("GET", `${path(study)}/verdict`, undefined, { ...options, safe: true });
  }

  /**
   * Iterates over verdicts as they change, the current one first, until the study is done. It needs a token. It
   * reconnects after a lost connection and yields no verdict twice.
   */
  async *events(study, { signal } = {}) {
    let last = "";
    for (let failures = 0; ; ) {
      try {
        const reply = await this.#send("GET", `${path(study)}/events`, undefined, { signal, stream: true });
        for await (const { event, data } of messages(reply)) {
          failures = 0;
          if (event === "problem") throw new ProblemError(JSON.parse(data));
          if (event !== "verdict" || data === last) continue;
          last = data;
          const verdict = JSON.parse(data);
          yield verdict;
          if (verdict.state === "done") return;
        }
        throw new ConnectionError("the server has ended the events");
      } catch (error) {
        const wait = this.#waitAfter(error, failures, true);
        if (wait === undefined) throw error;
        failures += 1;
        await sleep(wait, signal);
      }
    }
  }

  #post(study, what, body, options) {
    return this.#call("POST", `${path(study)}/${what}`, body, options);
  }

  /** Sends a request, again where that is safe and may help, and returns the reply's JSON. */
  async #call(method, target, body, { signal, safe = false, keepalive } = {}) {
    const deadline = Date.now() + this.timeout;
    for (let failures = 0; ; ) {
      try {
        const reply = await this.#send(method, target, body, { signal, keepalive });
        return await reply.json().catch((cause) => {
          throw new ConnectionError(cause);
        });
      } catch (error) {
        const limited = error.status === 429; // the server has done nothing
        const wait = this.#waitAfter(error, failures, safe);
        if (signal?.aborted || wait === undefined || (limited && Date.now() + wait > deadline)) throw error;
        if (!limited) failures += 1;
        await sleep(wait, signal);
      }
    }
  }

  /** Returns how many milliseconds to wait after an error; undefined if the request must not be sent again. */
  #waitAfter(error, failures, safe) {
    if (error instanceof ProblemError && error.status === 429) return Math.min(error.retryAfter, longestWait);
    if (!safe || failures >= this.waits.length) return undefined;
    if (error instanceof ConnectionError) return this.waits[failures];
    return error.retryAfter === undefined ? undefined : Math.min(error.retryAfter, longestWait);
  }

  /** Sends a request once. */
  async #send(method, target, body, { signal, stream = false, keepalive = false }) {
    const headers = { ...(body && { "Content-Type": "application/json" }) };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    const limits = [signal, stream ? undefined : AbortSignal.timeout(this.timeout)].filter(Boolean);
    const ended = limits.length ? either(limits) : undefined;
    let reply;
    try {
      reply = await fetch(`${this.url}/api/v1${target}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
        signal: ended,
        keepalive,
        redirect: "error",
        credentials: "omit",
        cache: "no-store",
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ConnectionError(error);
    }
    if (!reply.ok) throw await problemOf(reply);
    return reply;
  }
}

const path = (study) => `/studies/${encodeURIComponent(study).replaceAll(".", "%2E")}`;

/** Returns the error of a reply that does not report success. */
async function problemOf(reply) {
  const told = await reply.json().catch(() => ({}));
  const after = reply.headers.get("Retry-After");
  const again = reply.status === 429 || (reply.status === 503 && after !== null);
  const seconds = /^\d+$/.test(after ?? "") ? Number(after) : 1;
  return new ProblemError({ title: reply.statusText, ...told, status: reply.status }, again ? 1000 * seconds : undefined);
}

/** Iterates over the server-sent events of a reply. */
async function* messages(reply) {
  let text = "";
  const decoder = new TextDecoder();
  const reader = reply.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw new ConnectionError(cause);
      });
      if (done) return;
      text += decoder.decode(value, { stream: true }).replaceAll("\r", "");
      for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
        const message = parse(text.slice(0, end));
        if (message.data) yield message;
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // the stream may have failed already
  }
}

/** Returns the name and the data of one server-sent event. */
function parse(block) {
  const message = { event: "message", data: "" };
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (field === "event") message.event = value;
    if (field === "data") message.data += `${value}\n`;
  }
  return message;
}

/** Waits, unless the signal is aborted. */
function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** Returns a signal that is aborted with the first of some. */
function either(signals) {
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true, signal: controller.signal });
  }
  return controller.signal;
}

/** Returns the fields of an answer: picks, or an object such as { none: true }, where the question offers that. */
function given(picks) {
  return typeof picks === "object" && !Array.isArray(picks) ? picks : { picks: [picks].flat() };
}
