// Local storage, if the browser allows it. In a frame on another site it may not; then values are
// kept while the page is open.

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
    // The value was never stored.
  }
}

// keys returns all keys with a prefix, in order.
export function keys(prefix) {
  let stored = [];
  try {
    stored = Object.keys(local() ?? {});
  } catch {
    // No keys are stored.
  }
  return [...new Set([...stored, ...memory.keys()])].filter((key) => key.startsWith(prefix)).sort();
}
