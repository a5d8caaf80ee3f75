// Explains a URL: the form, and the buttons of rows.

import { byId, setText } from './dom.js';

/** Asks for the explanation that the form describes. */
async function explain() {
  const parameters = new URLSearchParams({ url: byId('explain-url').value.trim(), method: byId('explain-method').value });
  for (const name of ['client', 'port']) {
    const value = byId('explain-' + name).value.trim();
    if (value) {
      parameters.append(name, value);
    }
  }
  for (const line of byId('explain-headers').value.split('\n')) {
    if (line.trim()) {
      parameters.append('header', line.trim());
    }
  }
  setText(byId('explain-status'), 'Asking…');
  try {
    const answer = await fetch('/explain?' + parameters);
    const text = await answer.text();
    byId('explain-box').hidden = !answer.ok;
    setText(byId('explain-text'), answer.ok ? text.trim() : '');
    setText(byId('explain-status'), answer.ok ? headline(text) : text.trim());
  } catch (failure) {
    setText(byId('explain-status'), 'The proxy does not answer: ' + failure.message);
  }
}

/** The answer and its reason, of the lines of an explanation. */
function headline(text) {
  const told = name => text.match(new RegExp('^ *' + name + ' +(.*)$', 'm'))?.[1];
  return [told('answer'), told('because')].filter(Boolean).join(', because: ');
}

/** Explains a URL of a row, in the section of the form. */
export function explainUrl(url) {
  byId('explain-url').value = url;
  byId('explain-method').value = 'GET';
  byId('explain').scrollIntoView();
  byId('explain').focus({ preventScroll: true });
  return explain();
}

export function prepareExplain() {
  byId('explain-form').addEventListener('submit', event => {
    event.preventDefault();
    explain();
  });
}
