// The pages on which an owner sets what respondents see: the preview follows the form.

const form = document.querySelector('form[data-look]');
const preview = document.querySelector('#preview');
let asked = 0;
let pause;

async function look() {
  const mine = ++asked;
  try {
    const reply = await fetch(form.dataset.look, { method: 'POST', body: new URLSearchParams(new FormData(form)), headers: { 'X-Part': 'true' } });
    const text = await reply.text();
    if (reply.ok && mine === asked) preview.innerHTML = text;
  } catch {
    // Without a connection the preview stays as it is.
  }
}

form.addEventListener('input', () => {
  clearTimeout(pause);
  pause = setTimeout(look, 250);
});
document.documentElement.classList.add('scripted');
