// The page on which a study is set up. A dropped or chosen file, or a pasted table, is uploaded at
// once; the recognised columns, the estimate and the preview follow the input. Without JavaScript
// the same form is sent in two steps.

import { fitWords, keepPictures } from './question.js';

const form = document.querySelector('#form');
const drop = document.querySelector('#drop');
const looking = document.querySelector('#looking');
const { catalogue, ids, pictures, table, prompt } = form.elements;
const banners = ['wrong', 'failed', 'signed-out'].map((id) => document.getElementById(id));

let under = null; // the current upload
let named = ''; // the name taken from the file
let soon = 0;

// Messages

// tell shows one of the banners, or none.
function tell(id) {
  for (const banner of banners) banner.hidden = banner.id !== id;
}

// mark shows the problem of a field.
function mark(field, text) {
  const line = document.getElementById(`${field}-problem`);
  if (!line) return;
  line.textContent = text ?? '';
  line.hidden = !text;
  const input = document.getElementById(field);
  if (text) input?.setAttribute('aria-invalid', 'true');
  else input?.removeAttribute('aria-invalid');
}

const hasArms = () => !catalogue || catalogue.files.length > 0 || table.value.trim() !== '';

// tooLarge rejects files that are too large, before they are sent.
function tooLarge() {
  const size = [...(catalogue?.files ?? []), ...(ids?.files ?? []), ...(pictures?.files ?? [])].reduce((sum, file) => sum + file.size, 0);
  if (size <= Number(form.dataset.largest ?? Infinity)) return false;
  mark('catalogue', form.dataset.large);
  return true;
}

// Recognised columns

async function look() {
  under?.abort();
  if (!hasArms() || tooLarge()) return;
  const asked = new AbortController();
  under = asked;
  looking.textContent = looking.dataset.text;
  const body = catalogue ? withoutPictures(new FormData(form)) : new URLSearchParams(new FormData(form));
  try {
    const reply = await fetch(form.dataset.look, { method: 'POST', body, headers: { 'X-Part': 'looked' }, signal: asked.signal });
    const text = await reply.text();
    if (asked.signal.aborted) return;
    if (reply.redirected) tell('signed-out');
    else if (reply.ok) take(text);
    else tell('failed');
  } catch {
    if (!asked.signal.aborted) tell('failed');
  }
  if (under === asked) looking.textContent = '';
}

// withoutPictures has the names of the pictures in a form in place of the files.
function withoutPictures(body) {
  body.delete('pictures');
  for (const file of pictures.files) body.append('pictured', file.name);
  return body;
}

// take puts the fragments of a reply into the page.
function take(text) {
  const part = document.createElement('template');
  part.innerHTML = text;
  tell(null);
  const focused = document.activeElement?.closest('#recognised select, #rests input');
  for (const id of ['recognised', 'preview', 'rests', 'estimate']) {
    document.getElementById(id).replaceChildren(...part.content.getElementById(id).childNodes);
  }
  if (focused) [...form.elements].find((field) => field.name === focused.name && (field.type !== 'radio' || field.value === focused.value))?.focus({ preventScroll: true });
  for (const field of ['catalogue', 'ids', 'table', 'k', 'picks', 'each']) mark(field, part.content.getElementById(`${field}-problem`)?.textContent);
}

function lookSoon(delay) {
  clearTimeout(soon);
  soon = setTimeout(look, delay);
}

// showFields shows the fields that only some formats have.
function showFields() {
  if (!catalogue) return;
  const ends = (ending) => [...catalogue.files].some((file) => file.name.toLowerCase().endsWith(ending));
  document.querySelector('#ids-field').hidden = !ends('.npy');
  document.querySelector('#sheet-field').hidden = !ends('.xlsx');
}

// nameAfterFile names the study after the file, unless the user has typed a name.
function nameAfterFile() {
  const { name } = form.elements;
  if (!catalogue.files.length || name.value !== named) return;
  [named] = catalogue.files[0].name.split('.');
  name.value = named;
}

// Deadline

// localDeadline shows the deadline, which the form sends in UTC, in the time zone of the browser.
function localDeadline() {
  const local = form.elements.deadline;
  const sent = document.createElement('input');
  const text = (date) => (Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 16));
  const shift = (date) => date.getTimezoneOffset() * 60_000;
  sent.type = 'hidden';
  sent.name = 'deadline';
  sent.value = local.value;
  sent.disabled = local.disabled;
  const at = new Date(`${local.value}Z`);
  local.value = text(new Date(at - shift(at)));
  local.removeAttribute('name');
  local.after(sent);
  local.addEventListener('change', () => { sent.value = text(new Date(local.value)); });
  const hint = document.querySelector('#deadline-hint');
  hint.textContent = hint.dataset.local;
}

localDeadline();

// Input

form.addEventListener('change', (event) => {
  if (event.target === catalogue) {
    document.querySelector('#recognised').replaceChildren(); // chosen types belong to another file
    showFields();
    nameAfterFile();
  }
  if (['catalogue', 'ids', 'pictures', 'sheet', 'k', 'picks', 'each', 'plain_cards', 'outside', 'ties', 'best_worst', 'top', 'delta', 'assume', 'epsilon'].includes(event.target.name) || /^(kind|drop):/.test(event.target.name)) lookSoon(0);
});

form.addEventListener('input', (event) => {
  if (event.target === table) lookSoon(400);
  if (event.target.type === 'number') lookSoon(400);
  if (event.target === prompt) showPrompt();
  if (event.target.name !== 'table') mark(event.target.name, '');
});

function showPrompt() {
  const sample = document.querySelector('#sample-prompt');
  if (sample) sample.textContent = prompt.value.trim() || sample.dataset.default;
}

// Files may be dropped anywhere on the page. Pictures belong to the table. Of two other files, the extension tells which one
// has the ids.

let over = 0;

function dragged(step) {
  return (event) => {
    if (!drop || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    over = Math.max(0, over + step);
    drop.classList.toggle('over', over > 0);
  };
}

function put(input, ...files) {
  const list = new DataTransfer();
  for (const file of files) list.items.add(file);
  input.files = list.files;
}

document.addEventListener('dragenter', dragged(1));
document.addEventListener('dragover', dragged(0));
document.addEventListener('dragleave', dragged(-1));
document.addEventListener('drop', (event) => {
  const files = [...(event.dataTransfer?.files ?? [])];
  if (!drop || !files.length) return;
  event.preventDefault();
  over = 0;
  drop.classList.remove('over');
  const images = files.filter((file) => file.type.startsWith('image/'));
  if (images.length) {
    put(pictures, ...pictures.files, ...images);
    pictures.dispatchEvent(new Event('change', { bubbles: true }));
  }
  const [first, second] = files.filter((file) => !images.includes(file)).sort((a, b) => b.name.toLowerCase().endsWith('.npy') - a.name.toLowerCase().endsWith('.npy'));
  if (!first) return;
  put(catalogue, first);
  if (second) put(ids, second);
  catalogue.dispatchEvent(new Event('change', { bubbles: true }));
});

// A new study is sent by JavaScript, so that the file need not be chosen again after a problem.

form.addEventListener('submit', async (event) => {
  if (!catalogue) return;
  event.preventDefault();
  if (form.hasAttribute('aria-busy') || tooLarge()) return;
  form.setAttribute('aria-busy', 'true');
  try {
    const body = new FormData(form, event.submitter);
    const reply = await fetch(form.action, { method: 'POST', body, headers: { 'X-Part': 'created' } });
    if (reply.redirected) {
      tell('signed-out');
    } else if (!reply.ok) {
      tell('failed');
    } else {
      const { location: address, problems } = await reply.json();
      if (address) {
        location.assign(address);
        return;
      }
      refused(problems);
    }
  } catch {
    tell('failed');
  }
  form.removeAttribute('aria-busy');
});

// refused marks the problems, and moves the focus to the first one.
function refused(problems) {
  tell('wrong');
  for (const line of form.querySelectorAll('.problem')) {
    const field = line.id.replace('-problem', '');
    mark(field, problems[field]);
  }
  form.querySelector('[aria-invalid="true"]')?.focus();
}

keepPictures(document.getElementById('preview'));
fitWords(document.getElementById('preview'));
document.documentElement.classList.add('scripted');
showFields();
if (catalogue && hasArms()) { // the user navigated back, or chose a file before the script was loaded
  nameAfterFile();
  look();
}
