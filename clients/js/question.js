// <bestpick-question server="https://picks.example.com" study="ID"> shows the questions of a study in any page.

import { Client, ConnectionError, problems } from "./index.js";

const style = `
  :host { display: block; font: var(--bestpick-font, inherit); color: var(--bestpick-color, inherit); }
  :host([hidden]) { display: none; }
  .prompt { margin: 0 0 var(--bestpick-gap, 0.75rem); font-size: var(--bestpick-prompt-size, 1.25em); font-weight: 600; }
  .prompt:focus { outline: none; }
  .options { display: grid; gap: var(--bestpick-gap, 0.75rem); margin: 0; padding: 0; list-style: none;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, var(--bestpick-option-width, 12rem)), 1fr)); }
  .options li { display: grid; }
  button { font: inherit; color: inherit; cursor: pointer; min-height: 2.75rem;
    border: 1px solid var(--bestpick-border, #767676); border-radius: var(--bestpick-radius, 0.5rem); }
  button:focus-visible { outline: 3px solid var(--bestpick-accent, #1a56db); outline-offset: 2px; }
  .option { position: relative; padding: 0.75rem; text-align: start; background: var(--bestpick-option-background, #fff);
    color: var(--bestpick-option-color, #1f2328); }
  .option:hover { border-color: var(--bestpick-accent, #1a56db); }
  .option[aria-pressed="true"] { border-color: var(--bestpick-accent, #1a56db);
    box-shadow: inset 0 0 0 2px var(--bestpick-accent, #1a56db); }
  [aria-disabled="true"] { cursor: progress; }
  .label, .description, .attribute { display: block; overflow-wrap: anywhere; }
  .label { font-weight: 600; }
  .rank { position: absolute; inset-block-start: 0.25rem; inset-inline-end: 0.5rem; font-weight: 600; }
  img { display: block; max-width: 100%; max-height: 12rem; margin: 0 auto 0.5rem; }
  .context, .text { display: block; overflow-wrap: anywhere; white-space: pre-wrap; }
  .context { margin: 0 0 var(--bestpick-gap, 0.75rem); }
  .context:empty { display: none; }
  .none { margin-inline-end: var(--bestpick-gap, 0.75rem); }
  .none, .skip { margin-top: var(--bestpick-gap, 0.75rem); padding: 0 1rem; background: none; }
  .status:empty { display: none; }
`;

// Problems after which another question is asked, and those that end a study for this respondent or interrupt it.
const settled = new Set([problems.conflict, problems.replaced, problems.tooLate, problems.badToken]);
const finished = new Set([problems.done, problems.enough, problems.lapsed, problems.quotaFull, problems.notEligible]);
const interrupted = new Set([problems.draft, problems.paused, problems.noQuestion]);

const firstPause = 1000; // milliseconds between attempts while the server cannot be reached, doubled up to lastPause
const lastPause = 30_000;

export class QuestionElement extends HTMLElement {
  static observedAttributes = ["server", "study", "respondent", "segment", "member-key", "pid", "signature"];

  #shadow = this.attachShadow({ mode: "open", delegatesFocus: false });
  #client;
  #connected; // aborted when the element leaves the page or its attributes change
  #question;
  #names = {}; // that the server has given to this person, by study
  #consent; // the id of the text that the respondent has agreed to
  #picks = [];
  #busy = false;
  #reached = false; // the server has replied

  /** The question that is shown; undefined if there is none. */
  get question() {
    return this.#question;
  }

  connectedCallback() {
    this.#build();
    this.#restart();
  }

  disconnectedCallback() {
    this.#leave();
    this.#connected?.abort();
  }

  attributeChangedCallback() {
    if (this.isConnected && this.#connected) this.#restart();
  }

  /** Reports that the respondent cannot decide, and shows the next question. */
  skip() {
    return this.#settle("bestpick-skip", (question, options) => this.#client.skip(this.#study, question.token, options));
  }

  /** Answers that none of the options is picked, if the question offers that, and shows the next question. */
  none() {
    if (this.#question && !this.#question.none) return Promise.reject(new Error("the question does not offer none of the options"));
    return this.#answer({ none: true }, { picks: [], none: true });
  }

  get #study() {
    return this.getAttribute("study") ?? "";
  }

  /** Begins once the page has set all attributes. */
  #restart() {
    this.#connected?.abort();
    this.#connected = new AbortController();
    const signal = this.#connected.signal;
    queueMicrotask(() => !signal.aborted && this.#study && this.#begin(signal));
  }

  #begin(signal) {
    this.#client = new Client(new URL(this.getAttribute("server") ?? "/", document.baseURI));
    addEventListener("pagehide", () => this.#leave(), { signal });
    addEventListener("pageshow", ({ persisted }) => persisted && this.#restart(), { signal }); // with the back button
    this.#next(signal, (options) => this.#ask(options));
  }

  /** Records that the question was left without a pick, in the way that the page wants: as a skip, or as none of the options. */
  #leave() {
    if (!this.#question || this.#picks.length > 0 || this.#busy) return;
    const { token, none } = this.#question;
    const unpicked = this.getAttribute("unpicked");
    const options = { keepalive: true };
    let sent;
    if (unpicked === "skip") sent = this.#client.skip(this.#study, token, options);
    else if (unpicked === "none" && none) sent = this.#client.answer(this.#study, token, { none: true }, options);
    else return;
    this.#question = undefined;
    sent.catch(() => {}); // the lease ends by itself otherwise
  }

  async #ask(options) {
    const ask = {};
    for (const [field, attribute] of [["respondent", "respondent"], ["segment", "segment"], ["key", "member-key"], ["pid", "pid"], ["signature", "signature"]]) {
      const value = this.getAttribute(attribute);
      if (value) ask[field] = value;
    }
    if (this.#consent) ask.consent = this.#consent;
    if (!ask.key && !ask.pid && !ask.respondent) { // without a name, every question would be for another person
      const name = (this.#names[this.#study] ??= (await this.#client.welcome(this.#study, options)).respondent);
      if (name) ask.respondent = name;
    }
    return this.#client.ask(this.#study, ask, options);
  }

  #answer(picks, detail = { picks }) {
    return this.#settle("bestpick-answer", (question, options) => this.#client.answerAndAsk(this.#study, question.token, picks, options), detail);
  }

  /** Sends the outcome of the question until the server has it, and shows the next question. */
  async #settle(event, send, detail = {}) {
    const question = this.#question;
    if (!question || this.#busy) return;
    const { signal } = this.#connected;
    await this.#next(signal, async (options) => {
      const following = await send(question, options).catch((error) => {
        if (!settled.has(error.type)) throw error;
      });
      this.#tell(event, { question, ...detail });
      send = async () => {}; // the outcome is settled, whatever becomes of the next question
      return following ?? this.#ask(options);
    });
  }

  /** Shows the question that a function gets. It waits as long as the server is away, and tells the respondent. */
  async #next(signal, get) {
    this.#setBusy(true);
    for (let pause = firstPause; !signal.aborted; pause = Math.min(2 * pause, lastPause)) {
      try {
        const question = await get({ signal });
        this.#reached = true;
        if (!signal.aborted) this.#show(question);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ConnectionError)) this.#reached = true;
        else if (!this.#reached && pause === firstPause) {
          console.error(`bestpick-question cannot reach ${this.#client.url}. If the server runs, start it with --allow-origin ${location.origin}`);
        }
        if (error.type === problems.noConsent && (await this.#askConsent(signal))) return;
        if (finished.has(error.type)) return this.#end("done", error);
        if (!(error instanceof ConnectionError) && error.retryAfter === undefined && !interrupted.has(error.type)) return this.#end("problem", error);
        this.#say(interrupted.has(error.type) ? "paused" : "offline");
        await wait(pause, signal);
      }
    }
  }

  /** Shows the text of consent, and asks for a question once the respondent agrees. It reports whether there is a text. */
  async #askConsent(signal) {
    const { texts, privacy } = await this.#client.welcome(this.#study, { signal }).catch(() => ({ texts: {} }));
    const language = (this.closest("[lang]")?.lang || navigator.language).split("-")[0];
    const text = texts[language] ?? texts.en ?? Object.values(texts)[0];
    if (signal.aborted || !text?.consent) return signal.aborted;
    const form = element("form", { part: "consent" });
    const label = element("label");
    label.append(element("input", { type: "checkbox", required: true }), ` ${text.consent}`);
    form.append(element("p", { textContent: text.welcome ?? "" }), label);
    if (/^https?:/.test(privacy ?? "")) {
      const link = element("a", { href: privacy, target: "_blank", rel: "noopener" });
      link.append(element("slot", { name: "privacy", textContent: "Privacy notice" }));
      form.append(element("p"));
      form.lastChild.append(link);
    }
    const start = element("button", { className: "skip" });
    start.append(element("slot", { name: "start", textContent: "Start" }));
    form.append(element("p"));
    form.lastChild.append(start);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#consent = text.consent_id;
      form.remove();
      this.#next(signal, (options) => this.#ask(options));
    });
    signal.addEventListener("abort", () => form.remove(), { once: true });
    this.#part("prompt").before(form);
    this.#say("");
    return true;
  }

  #end(state, error) {
    this.#question = undefined;
    this.#setBusy(false);
    this.#part("prompt").textContent = "";
    this.#part("options").replaceChildren();
    this.#part("context").textContent = "";
    this.#part("none").hidden = true;
    this.#part("skip").hidden = true;
    this.#say(error.type === problems.notMember ? "refused" : state);
    this.#tell(`bestpick-${state}`, { error });
  }

  #build() {
    if (this.#shadow.firstChild) return;
    const sheet = element("style", { textContent: style });
    const prompt = element("p", { id: "prompt", className: "prompt", part: "prompt", tabIndex: -1 });
    const context = element("p", { className: "context", part: "context" });
    const options = element("ul", { className: "options", part: "options" });
    options.setAttribute("role", "list"); // list-style: none takes the role away in Safari
    options.setAttribute("aria-labelledby", "prompt");
    const none = element("button", { type: "button", className: "none", part: "none", hidden: true });
    none.append(element("slot", { name: "none", textContent: "None of these" }));
    none.addEventListener("click", () => this.none());
    const skip = element("button", { type: "button", className: "skip", part: "skip", hidden: true });
    skip.append(element("slot", { name: "skip", textContent: "I can’t decide" }));
    skip.addEventListener("click", () => this.skip());
    const status = element("p", { className: "status", part: "status" });
    status.setAttribute("role", "status");
    this.#shadow.append(sheet, prompt, context, options, none, skip, status);
  }

  #part(name) {
    return this.#shadow.querySelector(`.${name}`);
  }

  #show(question) {
    const focused = this.#shadow.activeElement !== null;
    this.#question = question;
    this.#picks = [];
    this.#part("prompt").textContent = question.prompt;
    this.#part("context").textContent = question.context ?? "";
    this.#part("options").replaceChildren(...question.arms.map((arm) => this.#option(arm, question)));
    this.#part("none").hidden = !question.none;
    this.#part("skip").hidden = this.hasAttribute("no-skip");
    this.#setBusy(false);
    this.#say("");
    if (focused) this.#part("prompt").focus();
    this.#tell("bestpick-question", { question });
  }

  #option(arm, question) {
    const button = element("button", { type: "button", className: "option", part: "option" });
    button.dataset.arm = arm.id;
    if (question.picks > 1) button.setAttribute("aria-pressed", "false");
    const image = this.#image(arm.image);
    if (image) button.append(element("img", { src: image, alt: "", part: "image" }));
    if (question.context) button.append(element("span", { className: "text", part: "text", textContent: arm.text ?? "" }));
    else button.append(element("span", { className: "label", part: "label", textContent: arm.label || arm.id }));
    if (arm.description) button.append(element("span", { className: "description", part: "description", textContent: arm.description }));
    for (const { name, value } of arm.attributes ?? []) {
      button.append(element("span", { className: "attribute", part: "attribute", textContent: `${name}: ${value}` }));
    }
    button.addEventListener("click", () => this.#pick(arm.id));
    const item = element("li");
    item.append(button);
    return item;
  }

  /** Returns the address of a picture, if a page may load it. */
  #image(image) {
    if (!image) return undefined;
    const address = new URL(image, this.#client.url + "/");
    return /^https?:$/.test(address.protocol) ? address.href : undefined;
  }

  /** Adds a pick, or takes it back. The last pick answers the question. */
  #pick(arm) {
    if (this.#busy || !this.#question) return;
    this.#picks = this.#picks.includes(arm) ? this.#picks.filter((one) => one !== arm) : [...this.#picks, arm];
    if (this.#picks.length === this.#question.picks) {
      this.#answer(this.#picks);
      return;
    }
    for (const button of this.#shadow.querySelectorAll(".option")) {
      const rank = this.#picks.indexOf(button.dataset.arm) + 1;
      button.setAttribute("aria-pressed", String(rank > 0));
      button.querySelector(".rank")?.remove();
      if (rank > 0) button.append(element("span", { className: "rank", textContent: String(rank) }));
    }
  }

  /** Says something to the respondent, in the words of the page if it has a slot for them. */
  #say(state) {
    const texts = {
      done: "Thank you. There are no more questions.",
      offline: "The connection is lost. Trying again…",
      paused: "The next question is not available yet. Please wait.",
      problem: "This question cannot be shown.",
      refused: "This study is only for people with their own link. Please open the link that you were sent.",
    };
    const slot = texts[state] && element("slot", { name: state, textContent: texts[state] });
    this.#part("status").replaceChildren(...(slot ? [slot] : []));
  }

  #setBusy(busy) {
    this.#busy = busy;
    this.#part("options").setAttribute("aria-busy", String(busy));
    for (const button of this.#shadow.querySelectorAll("button")) button.setAttribute("aria-disabled", String(busy));
  }

  #tell(event, detail) {
    this.dispatchEvent(new CustomEvent(event, { bubbles: true, composed: true, detail }));
  }
}

function element(name, { part, ...properties } = {}) {
  const made = Object.assign(document.createElement(name), properties);
  if (part) made.setAttribute("part", part);
  return made;
}

/** Waits a while, or until the browser is online again. */
function wait(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const now = () => {
      clearTimeout(timer);
      resolve();
    };
    addEventListener("online", now, { once: true, signal });
    signal.addEventListener("abort", now, { once: true });
  });
}

customElements.define("bestpick-question", QuestionElement);
