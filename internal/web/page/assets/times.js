// Times in the time zone of the reader. Without JavaScript they are in UTC.

const clock = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
const parts = { month: 'short', day: 'numeric', hour: 'numeric', minute: 'numeric' };
const brief = new Intl.DateTimeFormat(document.documentElement.lang, parts);
const precise = new Intl.DateTimeFormat(document.documentElement.lang, { ...parts, second: 'numeric' });

// localise shows the times below an element in the time zone of the reader.
export function localise(root) {
  for (const element of root.querySelectorAll('time[datetime]')) element.textContent = clock.format(new Date(element.dateTime));
  for (const element of root.querySelectorAll('[data-time]')) {
    element.textContent = ('seconds' in element.dataset ? precise : brief).format(new Date(element.dataset.time));
  }
}

localise(document);
