// Numbers as people read them. Everything here makes text; nothing makes markup.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export function count(value) {
  return whole.format(value);
}

export function rate(value) {
  return value >= 100 ? whole.format(value) : fine.format(value);
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function bytes(value) {
  let unit = 0;
  let rest = value;
  while (rest >= 1000 && unit < UNITS.length - 1) {
    rest /= 1000;
    unit++;
  }
  return `${rest >= 100 || unit === 0 ? whole.format(rest) : fine.format(rest)} ${UNITS[unit]}`;
}

export function duration(seconds) {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${fine.format(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 86400)
    return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

export function milliseconds(value) {
  return value === null ? "–" : duration(value / 1000);
}

/** An element with a class and text; what comes from the web is only ever text. */
export function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
