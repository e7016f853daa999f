// A question on the screen: a form with cards, of which one is picked, or several in order.

export const isQuestion = (node) => node?.matches('form.question') ?? false;

export const numberOf = (question) => Number(question.dataset.number);

export const tokenOf = (question) => question.elements.token.value;

const ranking = (question) => Number(question.dataset.picks) > 1;

const ranked = (question) => [...question.querySelectorAll('.card[data-rank]')].sort((a, b) => a.dataset.rank - b.dataset.rank);

// pick takes a card. It returns the arms picked, best first, when these are all; otherwise null.
export function pick(question, button) {
  const card = button.closest('.card');
  if (!ranking(question)) return [card.dataset.arm];
  const cards = ranked(question);
  const at = cards.indexOf(card);
  if (at < 0) cards.push(card);
  else cards.splice(at, 1);
  rank(question, cards);
  return cards.length === Number(question.dataset.picks) ? cards.map((each) => each.dataset.arm) : null;
}

// reopen makes a question that was answered ready to be answered again: of a ranking the last pick is free.
export function reopen(question) {
  if (ranking(question)) rank(question, ranked(question).slice(0, -1));
}

// saying is what is said about a card after it was tapped.
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

// keepPictures takes away pictures that cannot be loaded, now or later.
export function keepPictures(root) {
  const drop = (image) => image.remove();
  root.addEventListener('error', (event) => event.target.matches('.picture img') && drop(event.target), true);
  for (const image of root.querySelectorAll('.picture img')) if (image.complete && !image.naturalWidth) drop(image);
}
