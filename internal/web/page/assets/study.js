// The page of a study. The server sends changed fragments, which replace the current ones. Without
// JavaScript the page shows the state at loading.

import { localise } from './times.js';

const main = document.querySelector('#content');
const news = document.querySelector('#news');
const over = document.querySelector('#over');

// Parts

// replace replaces a fragment. Unfolded parts stay unfolded, and the focus stays.
function replace(region, html) {
  const part = document.createElement('template');
  part.innerHTML = html;
  const unfolded = [...region.querySelectorAll('details[open]')].map((details) => details.id);
  for (const details of part.content.querySelectorAll('details')) details.open = unfolded.includes(details.id);
  const focused = region.contains(document.activeElement) ? document.activeElement : null;
  const summary = focused?.closest('summary')?.parentElement.id;
  localise(part.content);
  region.replaceChildren(part.content);
  if (summary) document.getElementById(summary)?.querySelector('summary').focus({ preventScroll: true });
  else if (focused?.id) document.getElementById(focused.id)?.focus({ preventScroll: true });
}

// Live

let told = document.querySelector('#verdict .verdict')?.dataset.news;
let spoken = 0;
let speaking = 0;
const calm = 5000; // milliseconds between two announcements

// speak announces news to screen readers, but not every change of a number.
function speak() {
  const verdict = document.querySelector('#verdict .verdict');
  clearTimeout(speaking);
  if (verdict.dataset.news === told) return;
  const wait = spoken + calm - performance.now();
  if (wait > 0) {
    speaking = setTimeout(speak, wait);
    return;
  }
  told = verdict.dataset.news;
  spoken = performance.now();
  news.textContent = verdict.querySelector('.headline').textContent;
}

function end(text) {
  over.textContent = text;
  over.hidden = false;
  main.removeAttribute('data-live');
}

const patience = [3000, 6000, 12_000, 24_000]; // milliseconds before retries when a connection is refused
let failures = 0;

function follow() {
  const events = new EventSource(main.dataset.events);
  events.addEventListener('open', () => {
    main.dataset.live = 'true';
    failures = 0;
  });
  for (const name of ['verdict', 'notes', 'manage', 'pictures', 'more-results', 'respondents']) {
    events.addEventListener(name, (event) => {
      replace(document.getElementById(name), event.data);
      if (name === 'verdict') speak();
      if (name === 'pictures' && event.data.trim()) {
        refresh();
        compare();
      }
    });
  }
  events.addEventListener('end', (event) => {
    events.close();
    end(event.data === 'deleted' ? over.dataset.deleted : over.dataset.signedOut);
  });
  events.addEventListener('error', () => {
    if (events.readyState !== EventSource.CLOSED) return; // the browser reconnects
    if (failures < patience.length) setTimeout(follow, patience[failures++]);
    else end(over.dataset.lost);
  });
  window.addEventListener('pagehide', () => events.close(), { once: true });
}

// The menu closes with Escape and with a click elsewhere.
document.addEventListener('keydown', (event) => {
  const menu = document.querySelector('details.menu[open]');
  if (event.key !== 'Escape' || !menu) return;
  menu.open = false;
  menu.querySelector('summary').focus();
});
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false;
});

// The table

const table = document.querySelector('#table');
const search = document.querySelector('.search');
const often = 5000; // milliseconds between two updates of the judges
const share = 0.05; // of the time may be spent on automatic updates of the table
let shown = new URLSearchParams(location.search);
let rested = 0; // the time of the next automatic update of the table
let stale = false; // whether the charts are newer than the table
let resting = 0;
let asked = 0;
let typing = 0;

// load shows the table for a query.
async function load(query) {
  const number = ++asked;
  const begun = performance.now();
  shown = query;
  stale = false;
  rested = Infinity; // until the reply
  const reply = await fetch(`${new URL(table.dataset.address, location.href).pathname}?${query}`).catch(() => null);
  const html = reply?.ok ? await reply.text().catch(() => '') : '';
  rested = performance.now() + (performance.now() - begun) / share;
  if (html && number === asked) replace(table, html); // otherwise a later request has replaced this one
  if (stale) refresh();
}

function want(query) {
  query.delete('did');
  history.replaceState(null, '', `${location.pathname}?${query}`);
  return load(query);
}

// refresh updates the table, now or when it has rested, unless the user is working in it.
function refresh() {
  if (!table) return;
  stale = true;
  clearTimeout(resting);
  const wait = rested - performance.now();
  if (wait > 0) {
    if (wait < Infinity) resting = setTimeout(refresh, wait);
  } else if (!table.contains(document.activeElement)) load(shown);
}

table?.addEventListener('click', (event) => {
  const link = event.target.closest('thead a, .pages a');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  want(new URLSearchParams(new URL(link.href).search));
});

search?.addEventListener('submit', (event) => {
  event.preventDefault();
  find();
});

search?.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(find, 250);
});

function find() {
  clearTimeout(typing);
  const query = new URLSearchParams(shown);
  query.delete('page');
  if (search.elements.q.value) query.set('q', search.elements.q.value);
  else query.delete('q');
  want(query);
}

// Judges

const jury = document.querySelector('#jury');
let compared = performance.now();
let comparing = 0;

// compare updates the judges after the last change, unless the user is working in their table.
function compare() {
  if (!jury) return;
  clearTimeout(comparing);
  comparing = setTimeout(async () => {
    compared = performance.now();
    const reply = await fetch(jury.dataset.address).catch(() => null);
    if (reply?.ok && !jury.contains(document.activeElement)) replace(jury, await reply.text());
  }, Math.max(0, compared + often - performance.now()));
}

if (jury && !jury.firstElementChild) compare();

// Printing

const print = document.querySelector('#print');
if (print) {
  print.hidden = false;
  print.addEventListener('click', () => window.print());
}

localise(document);
document.documentElement.classList.add('scripted');
if (main.dataset.events) {
  follow();
  window.addEventListener('pageshow', (event) => event.persisted && follow()); // restored from the back/forward cache
}
