// The page on which a study is set up. A dropped or chosen file, or a pasted table, is uploaded at
// once; the recognised columns, the estimate and the preview follow the input. Without JavaScript
// the same form is sent in two steps.

const form = document.querySelector('#form');
const drop = document.querySelector('#drop');
const looking = document.querySelector('#looking');
const { catalogue, ids, pictures, table, prompt } = form.elements;
const touched = new Set(); // fields that the user has changed
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
  if (text) line.closest('details')?.setAttribute('open', '');
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

// take puts the fragments of a reply into the page. Options that are being edited stay.
function take(text) {
  const part = document.createElement('template');
  part.innerHTML = text;
  tell(null);
  const focused = document.activeElement?.closest('#recognised :is(select, [type="checkbox"]), #rests input');
  const editing = document.querySelector('#editor[open]');
  for (const id of ['recognised', 'preview', 'rests', 'chosen', 'decided', 'estimate', 'comparison']) {
    document.getElementById(id).replaceChildren(...part.content.getElementById(id).childNodes);
  }
  if (editing) (document.querySelector('#editor') ?? document.querySelector('#recognised').appendChild(editing)).replaceWith(editing);
  if (focused) [...form.elements].find((field) => field.name === focused.name && (field.type !== 'radio' || field.value === focused.value))?.focus({ preventScroll: true });
  for (const suggested of form.querySelectorAll('#rests [data-value]')) {
    const field = document.getElementById(suggested.name.replace('suggested:', ''));
    if (field && field !== document.activeElement) field.value = suggested.dataset.value;
  }
  for (const line of part.content.querySelectorAll('.problem[id]')) mark(line.id.replace('-problem', ''), line.textContent);
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

const looked = ['plain_cards', 'ids', 'pictures', 'sheet', 'heading', 'k', 'picks', 'each', 'outside', 'ties', 'best_worst', 'top', 'delta', 'assume', 'epsilon', 'least_people', 'least_days', 'fakes', 'budget'];

form.addEventListener('change', (event) => {
  const { target } = event;
  if (target === catalogue) {
    document.querySelector('#recognised').replaceChildren(); // chosen types belong to another file
    showFields();
    nameAfterFile();
    lookSoon(0);
  }
  if (/^kind:/.test(target.name) && ['number', 'category', 'boolean', 'embedding', 'date', 'month'].includes(target.value)) {
    for (const box of target.closest('tr').querySelectorAll('[name^="used:"]')) box.checked = true; // which the type is for
  }
  if (target.name === 'sheet') document.querySelector('#heading')?.remove(); // of another sheet
  if (target.closest('#editor')) edited(target);
  else if (looked.includes(target.name) || target.id === 'deadline' || /^(kind|drop|show|used):/.test(target.name)) lookSoon(0);
});

form.addEventListener('input', (event) => {
  const { target } = event;
  touched.add(target.name);
  if (target === table) {
    document.querySelector('#editor')?.remove(); // it has the rows of another table
    for (const menu of document.querySelectorAll('#recognised [name="list"]')) menu.remove();
    lookSoon(400);
  }
  if (target.type === 'number' || target === prompt) lookSoon(400);
  if (target !== table) mark(target.id, '');
});

// Templates fill in what the user has not changed.

for (const button of form.querySelectorAll('[data-template]')) {
  button.addEventListener('click', () => {
    for (const name of ['prompt', 'k', 'each']) {
      const field = form.elements[name];
      if (name === 'prompt' ? field.value.trim() === '' : !touched.has(name)) field.value = button.dataset[name];
    }
    if (hasArms()) lookSoon(0);
  });
}

// Editing options: the rows become the pasted table.

const rowsOf = () => [...document.querySelectorAll('#editor tbody tr')];
const cellsOf = (row) => [...row.querySelectorAll('input:not([type])')];

// written makes the pasted table of the rows. A chosen file is replaced by it.
function written() {
  const quoted = (text) => (/[",;|\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = [document.querySelector('#editor thead tr'), ...rowsOf()];
  table.value = rows.map((row) => `${cellsOf(row).map((cell) => quoted(cell.value)).join('\t')}\n`).join('');
  put(catalogue);
  for (const menu of document.querySelectorAll('#sheet, #heading')) menu.remove();
  for (const box of document.querySelectorAll('#recognised [type="checkbox"][name="heading"]')) box.checked = true;
  lookSoon(400);
}

function edited(target) {
  if (target.type === 'file') picture(target.closest('tr'), target.files[0]);
  else written();
}

// picture adds a picture to a row, under a name of its own.
function picture(row, file) {
  if (!file) return;
  const head = document.querySelector('#editor thead tr');
  let at = cellsOf(head).findIndex((cell) => ['image', 'picture', 'photo', 'img', 'image_url'].includes(cell.value.toLowerCase()));
  if (at < 0) {
    at = cellsOf(head).length;
    for (const line of [head, ...rowsOf()]) {
      const cell = cellsOf(line).at(-1).parentElement.cloneNode(true);
      cell.firstElementChild.value = line === head ? 'image' : '';
      cellsOf(line).at(-1).parentElement.after(cell);
    }
  }
  const name = `${pictures.files.length + 1}-${file.name}`;
  put(pictures, ...pictures.files, new File([file], name, { type: file.type }));
  cellsOf(row)[at].value = name;
  const reader = new FileReader();
  reader.addEventListener('load', () => {
    const thumb = document.createElement('img');
    thumb.src = reader.result;
    thumb.alt = '';
    row.querySelector('.row-actions span').replaceChildren(thumb);
  });
  reader.readAsDataURL(file);
  written();
}

form.addEventListener('click', (event) => {
  const button = event.target.closest('[data-row]');
  if (!button) return;
  const row = button.closest('tr');
  if (button.dataset.row === 'up') row.previousElementSibling?.before(row);
  if (button.dataset.row === 'down') row.nextElementSibling?.after(row);
  if (button.dataset.row === 'remove' && rowsOf().length > 2) {
    (row.nextElementSibling ?? row.previousElementSibling).querySelector('[data-row="remove"]').focus();
    row.remove();
  }
  if (button.dataset.row === 'add') {
    const added = rowsOf().at(-1).cloneNode(true);
    for (const cell of cellsOf(added)) cell.value = '';
    added.querySelector('.row-actions span').textContent = '▣';
    rowsOf().at(-1).after(added);
    cellsOf(added)[0].focus();
    return; // until it has a text
  }
  button.focus();
  written();
});

form.addEventListener('dragover', (event) => {
  for (const row of rowsOf()) row.classList.toggle('over', row.contains(event.target));
});

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
  for (const row of rowsOf()) row.classList.remove('over');
  const row = event.target.closest('#editor tbody tr');
  if (row && files[0].type.startsWith('image/')) {
    picture(row, files[0]);
    return;
  }
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

document.documentElement.classList.add('scripted');
showFields();
if (catalogue && hasArms()) { // the user navigated back, or chose a file before the script was loaded
  nameAfterFile();
  look();
}
