// The configuration in force, with the line of each value.

import { byId, Rows, setText, textCell } from './dom.js';
import * as format from './format.js';

/** A page has this many rows at most; a search finds the others. */
const MOST = 500;

let values = [];
let rows = null;

function show() {
  const wanted = byId('config-search').value.trim().toLowerCase();
  const own = byId('config-own').checked;
  const found = values.filter(value => (!own || value.source !== 'default') &&
    [value.directive, value.value, value.source].some(text => text.toLowerCase().includes(wanted)));
  rows.show(found.slice(0, MOST), value => value.key);
  const more = found.length > MOST ? ', the first ' + MOST + ' shown' : '';
  setText(byId('config-status'), format.count(found.length) + ' of ' + format.count(values.length) + ' values' + more);
}

async function read() {
  try {
    const answer = await fetch('/config');
    if (!answer.ok) {
      throw new Error(answer.statusText);
    }
    values = (await answer.json()).map((value, i) => ({ ...value, key: i }));
    show();
  } catch (failure) {
    setText(byId('config-status'), 'The configuration cannot be read: ' + failure.message);
  }
}

export function prepareConfig() {
  rows = new Rows(byId('config-table'), value => [
    textCell(value.directive, 'mono'), textCell(value.value, 'mono wrap'), textCell(value.source, value.source === 'default' ? 'quiet' : 'wrap'),
  ], 'No value matches.');
  byId('config-form').addEventListener('submit', event => event.preventDefault());
  byId('config-search').addEventListener('input', show);
  byId('config-own').addEventListener('change', show);
  byId('config-again').addEventListener('click', read);
  return read();
}
