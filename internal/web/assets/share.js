// Buttons that copy a text. Where the browser does not allow that, the text is selected, ready to be copied.

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

document.documentElement.classList.add('scripted');
