// Explains a URL: the form, and the buttons of rows.

import { byId, setText } from './dom.js';

/** Content matters for QUERY only. */
const isQuery = () => byId('explain-method').value === 'QUERY';

function showContent() {
  byId('explain-content-field').hidden = !isQuery();
}

/** Asks for the explanation that the form describes. */
async function explain() {
  const parameters = new URLSearchParams({ url: byId('explain-url').value.trim(), method: byId('explain-method').value });
  for (const name of ['client', 'port']) {
    const value = byId('explain-' + name).value.trim();
    if (value) {
      parameters.append(name, value);
    }
  }
  if (isQuery()) {
    parameters.append('content', byId('explain-content').value);
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
  showContent();
  byId('explain').scrollIntoView();
  if (url.endsWith('?')) {
    // without its query it is another URL
    byId('explain-box').hidden = true;
    setText(byId('explain-status'), 'The query of this URL is not kept (strip_query_terms): add it.');
    byId('explain-url').focus({ preventScroll: true });
    return;
  }
  byId('explain').focus({ preventScroll: true });
  explain();
}

export function prepareExplain() {
  showContent();
  byId('explain-method').addEventListener('change', showContent);
  byId('explain-form').addEventListener('submit', event => {
    event.preventDefault();
    explain();
  });
}
