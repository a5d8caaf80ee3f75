// Purges, after a confirmation. The secret stays in its field, and is sent with a purge only.

import { byId, setText } from './dom.js';

const KINDS = {
  url: { label: 'URL', hint: 'http://example.com/page' },
  key: { label: 'Surrogate keys, by blanks', hint: 'news frontpage' },
  group: { label: 'Group', hint: 'stylesheets', where: 'Origin', whereHint: 'http://example.com/', whereName: 'origin' },
  pattern: { label: 'POSIX extended expression', hint: '\\.png$', where: 'Host, empty for all', whereHint: 'example.com', whereName: 'host' },
};

const kind = () => byId('purge-kind').value;
const isSoft = () => byId('purge-soft').checked;

function showFields() {
  const form = KINDS[kind()];
  setText(byId('purge-value-label'), form.label);
  byId('purge-value').placeholder = form.hint;
  byId('purge-where-field').hidden = !form.where;
  byId('purge-where').required = form.whereName === 'origin';
  if (form.where) {
    setText(byId('purge-where-label'), form.where);
    byId('purge-where').placeholder = form.whereHint;
  }
}

/** The purge in words, for the question. */
function sentence() {
  const value = byId('purge-value').value.trim();
  const where = byId('purge-where').value.trim();
  const which = {
    url: 'all variants of ' + value,
    key: 'all responses with the surrogate keys ' + value,
    group: 'all responses of the group ' + value + ' of ' + where,
    pattern: 'all URLs ' + (where ? 'of ' + where : 'of all hosts') + ' that match ' + value,
  }[kind()];
  return isSoft() ? 'Become stale: ' + which + '.' : 'No longer served: ' + which + '.';
}

function parameters() {
  const all = new URLSearchParams({ [kind()]: byId('purge-value').value.trim() });
  const { whereName } = KINDS[kind()];
  const where = byId('purge-where').value.trim();
  if (whereName && where) {
    all.append(whereName, where);
  }
  if (isSoft()) {
    all.append('soft', '1');
  }
  return all;
}

async function purge() {
  setText(byId('purge-status'), 'Purging…');
  try {
    const answer = await fetch('/purge?' + parameters(), {
      method: 'POST',
      headers: { Authorization: 'Bearer ' + byId('purge-secret').value },
    });
    setText(byId('purge-status'), answer.ok ? outcome(await answer.json()) : (await answer.text()).trim());
  } catch (failure) {
    setText(byId('purge-status'), 'The proxy does not answer: ' + failure.message);
  }
}

function outcome(purged) {
  const disk = purged.disk === null ? 'the disk follows' : purged.disk + ' on disk';
  return 'Purged: ' + purged.memory + ' in memory, ' + disk + '.';
}

export function preparePurge() {
  showFields();
  byId('purge-kind').addEventListener('change', showFields);
  byId('purge-form').addEventListener('submit', event => {
    event.preventDefault();
    setText(byId('purge-question'), isSoft() ? 'Purge softly?' : 'Purge?');
    setText(byId('purge-text'), sentence());
    byId('purge-dialog').showModal();
  });
  // not at the event close: it comes later, when the dialog may be open again
  byId('purge-yes').addEventListener('click', purge);
}
