// The page of a respondent. It prefetches the next question, sends answers in the background, and keeps them
// if that fails. Without JavaScript the same page works with plain forms.

import { Outbox } from './outbox.js';
import * as storage from './storage.js';
import { enlargePictures, fitWords, foldTexts, highlight, isQuestion, keepPictures, numberOf, reopen, reply, saying, tokenOf } from './question.js';

const stage = document.querySelector('#stage');
const asking = document.querySelector('#asking');
const undo = document.querySelector('#undo');
const skip = document.querySelector('#skip');
const live = document.querySelector('#live');
const notice = document.querySelector('#notice');
const { api, study, grace } = stage.dataset;
const outbox = new Outbox(api, study, sent);

const secondTap = 250; // milliseconds in which a tap on a new question counts as a double tap on the previous one
const until = new WeakMap(); // when the leases of questions expire

let current = stage.firstElementChild;
let shown = -Infinity; // when the current question was shown
let turn = 0; // incremented when the screen changes, to detect stale replies
let answered = isQuestion(current) ? numberOf(current) - 1 : 0;
let ahead = null; // the prefetched question: a promise, and its result
let last = null; // the last answered or skipped question, while it can be undone
let held = null; // the skipped question, which is sent when it can no longer be undone
let retry = 0;
let forgetting = 0;
let leaving = 0;

// Messages

function tell(kind) {
  notice.textContent = document.querySelector('#notices').content.querySelector(`[data-notice="${kind}"]`).textContent;
}

// sent handles news of the outbox. A respondent who has answered enough, perhaps in another tab, sees
// the end instead of the next question.
function sent(kind) {
  if (kind !== 'enough') {
    tell(kind);
    return;
  }
  ahead = null;
  refresh();
}

// Screen

function show(node) {
  current = node;
  turn += 1;
  shown = performance.now();
  stage.replaceChildren(node);
  settle();
  const heading = node.querySelector('h1');
  heading.focus({ preventScroll: true });
  window.scrollTo(0, 0);
  document.title = heading.textContent;
  live.textContent = node.querySelector('.progress-text')?.textContent ?? '';
}

// settle prepares the page for the question or state on the screen.
function settle() {
  stage.removeAttribute('aria-busy');
  skip.hidden = !isQuestion(current);
  clearTimeout(retry);
  clearTimeout(leaving);
  if (current?.dataset.leave) leaving = setTimeout(leave, 1000 * Math.max(3, grace));
  if (current?.dataset.retry) retry = setTimeout(refresh, 1000 * Number(current.dataset.retry));
  askAhead();
}

// leave continues at the owner's address, when all answers are sent.
async function leave() {
  remember(null);
  if (await outbox.flush()) location.assign(current.dataset.leave);
  else settle();
}

const spare = (kind) => document.querySelector(`template[data-state="${kind}"]`).content.firstElementChild.cloneNode(true);

// ask fetches the question after a numbered one, or a state in its place.
async function ask(after) {
  const form = new URLSearchParams(new FormData(asking));
  if (after) form.set('after', after);
  try {
    const reply = await fetch(asking.action, { method: 'POST', body: form });
    if (!reply.ok) {
      const node = spare('limited');
      node.dataset.retry = Math.max(2, Number(reply.headers.get('Retry-After')));
      return node;
    }
    const part = document.createElement('template');
    part.innerHTML = await reply.text();
    const node = document.importNode(part.content.firstElementChild, true); // pictures begin to load
    const named = node.querySelector('[name=respondent]'); // another one if the server no longer accepts the stored name
    if (named) asking.elements.respondent.value = named.value;
    note(node);
    return node;
  } catch {
    return spare('offline');
  }
}

function note(node) {
  if (isQuestion(node)) until.set(node, performance.now() + 1000 * Number(node.dataset.lease));
}

// fresh reports whether a prefetched question can be shown: at least half of its lease must be left.
const fresh = (node) =>
  isQuestion(node) ? until.get(node) - performance.now() > 500 * Number(node.dataset.lease) : node?.dataset.state === 'enough';

function askAhead() {
  if (!isQuestion(current) || ahead || held || document.visibilityState === 'hidden') return;
  const asked = { node: null };
  asked.coming = ask(numberOf(current)).then((node) => {
    asked.node = node;
    return node;
  });
  ahead = asked;
}

// advance shows the next question, at once if it was prefetched.
async function advance() {
  const mine = turn;
  const asked = ahead;
  ahead = null;
  if (fresh(asked?.node)) {
    show(asked.node);
    return;
  }
  stage.setAttribute('aria-busy', 'true');
  let node = asked?.node ? null : await asked?.coming;
  if (!fresh(node)) {
    if (held) remember(null);
    await outbox.flush(); // otherwise a question that was just answered may be repeated
    node = await ask(answered);
  }
  if (mine === turn) show(node);
}

// refresh checks whether a question is available.
async function refresh() {
  const mine = turn;
  const node = await ask(answered);
  if (mine !== turn) return;
  if (node.dataset.state && node.dataset.state === current?.dataset.state) settle();
  else show(node);
}

// Input

document.addEventListener('submit', (event) => {
  if (event.target === undo && last) {
    event.preventDefault();
    takeBack(last);
  } else if (event.target === current && isQuestion(current)) {
    event.preventDefault();
    if (performance.now() - shown < secondTap || stage.hasAttribute('aria-busy') || current.querySelector('[data-picked]')) return;
    if (event.submitter === skip) pass();
    else choose(event.submitter);
  }
});

document.addEventListener('keydown', (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || !/^[1-9]$/.test(event.key)) return;
  if (isQuestion(current)) current.querySelectorAll('.pick')[event.key - 1]?.click();
});

async function choose(button) {
  const question = current;
  notice.textContent = '';
  const answer = reply(question, button);
  if (!answer) {
    live.textContent = saying(question, button);
    return;
  }
  remember(null);
  outbox.add('answers', { token: tokenOf(question), ...answer });
  answered = numberOf(question);
  await highlight(button.closest('.card') ?? button);
  remember(question);
  advance();
}

function pass() {
  const question = current;
  answered = numberOf(question);
  remember(question);
  held = question;
  if (!last) release();
  advance();
  tell('skipped');
}

// release sends a skip that can no longer be undone. Until then the skipped question is open, so the server might
// repeat it, and no question is prefetched.
function release() {
  if (!held) return;
  outbox.add('skips', { token: tokenOf(held) }).then(askAhead);
  held = null;
}

// remember stores the question that can be undone, as long as it can be.
function remember(question) {
  release();
  last = grace > 0 ? question : null;
  undo.hidden = !last;
  clearTimeout(forgetting);
  if (last) forgetting = setTimeout(() => remember(null), 1000 * grace);
}

// takeBack shows an answered or skipped question again. The current one comes after it.
async function takeBack(question) {
  if (held === question) {
    held = null;
    remember(null);
    again(question);
    return;
  }
  remember(null);
  stage.setAttribute('aria-busy', 'true');
  const unsent = outbox.cancel(tokenOf(question));
  const outcome = await outbox.add('undos', { token: tokenOf(question) });
  if (outcome === 'later' && !unsent) {
    outbox.forgetLast();
    settle();
    tell('undo-offline');
    return;
  }
  if (outcome !== 'done' && outcome !== 'later') {
    settle();
    tell('too-late');
    return;
  }
  again(question);
}

// again shows an earlier question.
function again(question) {
  ahead = isQuestion(current) && current !== question ? { node: current } : null;
  answered = numberOf(question) - 1;
  reopen(question);
  show(question);
  tell('taken-back');
}

// Returning respondents

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') {
    if (held) remember(null);
    return;
  }
  if (isQuestion(current) && until.get(current) < performance.now()) refresh();
  else askAhead();
});

// begin takes over the page. Without cookies it restores the respondent's earlier name, which it stores only after
// consent, and it sends pending answers before it asks for a question. Reloading does not send the consent again.
async function begin() {
  const kept = `bestpick/respondent/${study}`;
  const name = asking.elements.respondent;
  const known = storage.get(kept) ?? name.value;
  const other = known !== name.value;
  name.value = known;
  if (current?.dataset.state !== 'welcome') storage.set(kept, known);
  if (location.pathname.endsWith('/begin')) history.replaceState(null, '', stage.dataset.address);
  document.documentElement.classList.add('scripted');
  keepPictures(stage);
  fitWords(stage);
  foldTexts(stage);
  enlargePictures(stage, document.querySelector('#enlarged'));
  note(current);
  if (!other && outbox.empty) {
    settle();
    return;
  }
  stage.setAttribute('aria-busy', 'true');
  await outbox.flush();
  show(await ask(0));
  if (current?.dataset.state !== 'welcome') storage.set(kept, name.value);
}

begin();
