// What is kept beside the page, if the browser allows that: in a frame on another site it may not, and then
// it is kept as long as the page is open.

const memory = new Map();

function local() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

export function get(key) {
  try {
    return memory.get(key) ?? local()?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

export function set(key, text) {
  try {
    local().setItem(key, text);
  } catch {
    memory.set(key, text);
  }
}

export function remove(key) {
  memory.delete(key);
  try {
    local()?.removeItem(key);
  } catch {
    // It was never there.
  }
}

// keys are all that begin with some text, in order.
export function keys(prefix) {
  let stored = [];
  try {
    stored = Object.keys(local() ?? {});
  } catch {
    // There are none.
  }
  return [...new Set([...stored, ...memory.keys()])].filter((key) => key.startsWith(prefix)).sort();
}
