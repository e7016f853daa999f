// The list of studies. It polls for changes every few seconds while the page is visible, and keeps the focus
// and the scroll position.

import { localise } from './times.js';

const every = 4000; // milliseconds
const studies = document.querySelector('#studies');
const stale = document.querySelector('#stale');
const entries = () => [...studies.querySelectorAll('.study')];

const key = (entry) => entry.querySelector('a').href;

// update replaces the studies that differ, if the list has the same studies in the same states, or
// else the whole list.
function update(text) {
  const part = document.createElement('template');
  part.innerHTML = text;
  localise(part.content);
  const fresh = [...part.content.querySelectorAll('.study')];
  const shown = entries();
  if (fresh.length === shown.length && fresh.every((entry, at) => key(entry) === key(shown[at]) && entry.dataset.state === shown[at].dataset.state)) {
    fresh.forEach((entry, at) => {
      for (const selector of ['h2 a', '.badge', 'dl']) {
        const [is, was] = [entry.querySelector(selector), shown[at].querySelector(selector)];
        if (is.outerHTML === was.outerHTML) continue;
        was.className = is.className;
        was.innerHTML = is.innerHTML;
      }
    });
    return;
  }
  const focused = document.activeElement?.closest('#studies a')?.href;
  studies.replaceChildren(part.content);
  if (focused) [...studies.querySelectorAll('a')].find((link) => link.href === focused)?.focus({ preventScroll: true });
}

async function look() {
  if (document.visibilityState === 'hidden') return;
  try {
    const reply = await fetch(location.href, { headers: { 'X-Part': 'studies' }, signal: AbortSignal.timeout(10000) });
    if (reply.redirected) { // the session has ended
      location.reload();
      return;
    }
    if (reply.ok) update(await reply.text());
    stale.hidden = reply.ok;
  } catch {
    stale.hidden = false;
  }
}

async function goOn() {
  await look();
  setTimeout(goOn, every);
}

setTimeout(goOn, every);
document.addEventListener('visibilitychange', look);
document.documentElement.classList.add('scripted');
