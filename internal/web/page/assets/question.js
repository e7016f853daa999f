// A question on the screen: a form with cards. One of them is picked, or several are ranked, or the
// best and the worst are picked. There may be buttons for none of the cards, and for a tie.

export const isQuestion = (node) => node?.matches('form.question') ?? false;

export const numberOf = (question) => Number(question.dataset.number);

export const tokenOf = (question) => question.elements.token.value;

const ranking = (question) => Number(question.dataset.picks) > 1;

const ranked = (question) => [...question.querySelectorAll('.card[data-rank]')].sort((a, b) => a.dataset.rank - b.dataset.rank);

// reply taps a button of the question. It returns the answer for the server, without the token, once
// that is complete; otherwise null.
export function reply(question, button) {
  if (!button.closest('.card')) return { [button.value]: true };
  const picks = pick(question, button);
  if (!picks || !('worst' in question.dataset)) return picks && { picks };
  const [best, worst] = picks;
  return { picks: [best], worst };
}

// pick picks a card. It returns the picked arms, best first, once there are enough; otherwise null.
function pick(question, button) {
  const card = button.closest('.card');
  if (!ranking(question)) return [card.dataset.arm];
  const cards = ranked(question);
  const at = cards.indexOf(card);
  if (at < 0) cards.push(card);
  else cards.splice(at, 1);
  rank(question, cards);
  return cards.length === Number(question.dataset.picks) ? cards.map((each) => each.dataset.arm) : null;
}

const seen = 150; // milliseconds for which a pick is highlighted

// highlight marks a card, or a button besides the cards, as picked for a moment.
export async function highlight(element) {
  element.dataset.picked = '';
  await new Promise((resolve) => setTimeout(resolve, seen));
  delete element.dataset.picked;
}

// reopen makes an answered question answerable again. In a ranking it removes the last pick.
export function reopen(question) {
  if (ranking(question)) rank(question, ranked(question).slice(0, -1));
}

// saying returns the announcement for a card that was tapped.
export function saying(question, button) {
  const { rank: place } = button.closest('.card').dataset;
  return place ? `${button.textContent}: ${question.dataset.ranked.replace('{rank}', place)}` : button.textContent;
}

function rank(question, cards) {
  for (const card of question.querySelectorAll('.card')) {
    const place = cards.indexOf(card) + 1;
    if (place) card.dataset.rank = place;
    else delete card.dataset.rank;
    card.querySelector('.rank').textContent = place || '';
    card.querySelector('.pick').setAttribute('aria-pressed', String(place > 0));
  }
}

// enlargePictures shows the picture of a card in a dialog when its button is pressed.
export function enlargePictures(root, dialog) {
  const whole = dialog.querySelector('img');
  root.addEventListener('click', (event) => {
    const button = event.target.closest('.enlarge');
    if (!button) return;
    whole.src = button.previousElementSibling.src;
    dialog.showModal();
  });
  dialog.addEventListener('click', (event) => event.target !== dialog.querySelector('button') && dialog.close());
}

// keepPictures removes pictures that cannot be loaded, now or later.
export function keepPictures(root) {
  const drop = (image) => {
    image.nextElementSibling?.remove(); // its button
    image.remove();
  };
  root.addEventListener('error', (event) => event.target.matches('.picture img') && drop(event.target), true);
  for (const image of root.querySelectorAll('.picture img')) if (image.complete && !image.naturalWidth) drop(image);
}

const leastSize = 11; // pixels: smaller text is hard to read

// fitWords makes the text of a card smaller if a word in it is wider than the card, now, when cards are replaced and
// when the window changes. A word that would be too small to read is broken instead.
export function fitWords(root) {
  const fit = () => {
    const texts = [...root.querySelectorAll('.card :is(h2, h3, .text, dt, dd, .output table)')];
    for (const text of texts) text.style.fontSize = '';
    root.classList.add('unbroken');
    const wide = texts.filter((text) => text.scrollWidth > text.clientWidth);
    const sizes = wide.map((text) => (parseFloat(getComputedStyle(text).fontSize) * (text.clientWidth - 1)) / text.scrollWidth);
    root.classList.remove('unbroken');
    wide.forEach((text, at) => {
      if (sizes[at] >= leastSize) text.style.fontSize = `${sizes[at]}px`;
    });
  };
  new MutationObserver(fit).observe(root, { childList: true, subtree: true });
  window.addEventListener('resize', fit);
  fit();
}

const foldedHeight = 224; // pixels, as the stylesheet has it

// foldTexts folds long texts of cards on narrow screens, now and when cards are replaced. A button below unfolds a text.
export function foldTexts(root) {
  const fold = () => {
    if (window.innerWidth >= 640) return;
    for (const about of root.querySelectorAll('.card .about > div:not([data-fold])')) {
      about.dataset.fold = '';
      if (about.scrollHeight < 1.5 * foldedHeight) continue;
      about.classList.add('folded');
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'unfold';
      button.textContent = about.closest('.cards').dataset.unfold;
      button.addEventListener('click', () => {
        about.classList.remove('folded');
        button.remove();
      });
      about.after(button);
    }
  };
  new MutationObserver(fold).observe(root, { childList: true });
  fold();
}
