// Buttons that copy a text. If the browser does not allow that, the text is selected for copying.

for (const button of document.querySelectorAll('[data-copy]')) {
  const field = document.querySelector(button.dataset.copy);
  const said = button.textContent;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = button.dataset.copied;
      setTimeout(() => (button.textContent = said), 2000);
    } catch {
      field.select();
    }
  });
}

document.querySelector('#print')?.addEventListener('click', () => window.print());
document.documentElement.classList.add('scripted');
