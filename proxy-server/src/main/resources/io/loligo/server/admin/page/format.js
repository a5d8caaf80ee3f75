// Numbers as people read them. All in English, as the page is.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const MISSING = '–';

const isMissing = value => value === null || value === undefined || !Number.isFinite(value);

/** Three digits at least. */
function short(value) {
  const size = Math.abs(value);
  return size >= 100 || Number.isInteger(value) ? whole.format(value) : size >= 10 ? oneDigit.format(value) : trimmed(value.toFixed(2));
}

const trimmed = text => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** A count, exact. */
export const count = value => (isMissing(value) ? MISSING : whole.format(value));

/** A count, short: 98,432 or 1.23 M. */
export function number(value) {
  if (isMissing(value)) {
    return MISSING;
  }
  for (const [limit, unit] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M']]) {
    if (Math.abs(value) >= limit) {
      return short(value / limit) + ' ' + unit;
    }
  }
  return short(value);
}

/** Bytes, with the units of the configuration: a KB has 1,024. */
export function bytes(value) {
  if (isMissing(value)) {
    return MISSING;
  }
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let size = value;
  while (Math.abs(size) >= 1000 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return (unit === 0 ? whole.format(size) : short(size)) + ' ' + units[unit];
}

/** A time, from microseconds. */
export function time(micros) {
  if (isMissing(micros)) {
    return MISSING;
  }
  if (micros < 1000) {
    return short(micros) + ' µs';
  }
  if (micros < 1e6) {
    return short(micros / 1e3) + ' ms';
  }
  return micros < 120e6 ? short(micros / 1e6) + ' s' : short(micros / 60e6) + ' min';
}

/** A share of the whole, from 0 to 1. */
export const ratio = value => (isMissing(value) ? MISSING : oneDigit.format(100 * value) + ' %');

/** A time in seconds since a start: 3 d 04:05:06. */
export function span(seconds) {
  const two = value => String(Math.floor(value)).padStart(2, '0');
  const days = Math.floor(seconds / 86400);
  const clock = two((seconds / 3600) % 24) + ':' + two((seconds / 60) % 60) + ':' + two(seconds % 60);
  return days > 0 ? days + ' d ' + clock : clock;
}

/** A word of the program as words: memory_hit is memory hit. */
export const words = name => name.replace(/[A-Z]/g, letter => ' ' + letter.toLowerCase()).replaceAll('_', ' ');
