// The section "clients and origins": costs of the last minutes, slow requests, TLS.

import { actionCell, barCell, byId, element, numberCell, Rows, setText, textCell } from './dom.js';
import { explainUrl } from './explain.js';
import * as format from './format.js';
import { Sorted } from './sorted.js';

/** The stages in words: the longest ones, and none that is shorter than this share. */
const TOLD_STAGES = 3;
const LEAST_SHARE = 0.03;
const SOON_SECONDS = 14 * 86400;
const FAMILIES = [
  ['clientTlsFailures', 'reason', 'Handshake with a client'], ['serverTlsFaults', 'fault', 'Handshake with an origin or parent'],
  ['toleratedCertificates', 'fault', 'Tolerated fault of a certificate'],
];

const ratio = row => (row.hits + row.misses > 0 ? row.hits / (row.hits + row.misses) : null);
const seconds = value => format.time(value * 1e6);

const sums = name => row => [
  textCell(row[name], 'cut mono'), numberCell(row.seconds, seconds(row.seconds)), numberCell(row.requests, format.count(row.requests)),
  numberCell(ratio(row), format.ratio(ratio(row))), numberCell(row.misses, format.count(row.misses)),
  numberCell(row.errors, format.count(row.errors)), numberCell(row.bytes, format.bytes(row.bytes)),
];

/** Shows one answer of /traffic after the other. */
export class Traffic {
  constructor() {
    const ranking = (id, name, empty) => new Sorted(byId(id), sums(name), empty, row => row[name]);
    this.origins = ranking('origins', 'origin', 'No request in these minutes.');
    this.clients = ranking('clients', 'client', 'No request in these minutes.');
    this.users = ranking('users', 'user', 'No user has logged in.');
    this.slowest = new Sorted(byId('slowest'), row => [
      urlCell(row), waterfallCell(row, this.longest), numberCell(row.seconds, seconds(row.seconds)), numberCell(row.status, String(row.status || '–')),
      textCell(format.words(row.class) + (row.decision ? ', ' + row.decision : ''), 'wrap small-text'),
      textCell(row.user ? row.client + ' ' + row.user : row.client, 'cut mono'),
      row.url.startsWith('http') ? actionCell('Explain', 'Explain ' + row.url, row.url, explainUrl) : textCell(''),
    ], 'No request in these minutes.', row => row.requestId ?? row.time + ' ' + row.url);
    this.misses = new Rows(byId('misses'), row => [
      textCell(row.cause), barCell(row.share, 'c-miss'), numberCell(row.requests, format.count(row.requests)), numberCell(row.bytes, format.bytes(row.bytes)),
    ], 'No miss in these minutes.');
    this.versions = new Rows(byId('tls-versions'), row => [
      textCell(row.side), textCell(row.version), numberCell(row.requests, format.count(row.requests)),
    ], 'No request over TLS in these minutes.');
    this.failures = new Rows(byId('tls-failures'), row => [
      textCell(row.kind), textCell(format.words(row.reason)), numberCell(row.count, format.count(row.count)),
    ], 'No failure since the start.');
    this.certificates = new Rows(byId('certificates'), row => [
      textCell(row.name, 'cut mono'), textCell(row.port), textCell(row.file, 'cut'),
      cell => {
        numberCell(row.expiresInSeconds, left(row.expiresInSeconds))(cell);
        cell.classList.toggle('warn', row.expiresInSeconds < SOON_SECONDS);
      },
    ], 'No TLS port.');
  }

  show(traffic) {
    const minutes = Math.round((Date.parse(traffic.until) - Date.parse(traffic.since)) / 60000);
    document.querySelectorAll('.traffic-window').forEach(node => setText(node, minutes < 2 ? 'last minute' : 'last ' + minutes + ' minutes'));
    this.origins.show(traffic.origins);
    this.clients.show(traffic.clients);
    this.users.show(traffic.users);
    byId('users-panel').hidden = traffic.users.length === 0;
    this.longest = traffic.slowest.reduce((most, row) => Math.max(most, row.seconds), 0);
    this.slowest.show(traffic.slowest);
    const misses = traffic.misses.reduce((all, row) => all + row.requests, 0);
    this.misses.show(traffic.misses.map(row => ({ ...row, share: row.requests / misses })), row => row.cause);
    this.versions.show(
      [['clients', traffic.tls.client], ['origins', traffic.tls.server]].flatMap(([side, rows]) => rows.map(row => ({ side, ...row }))),
      row => row.side + row.version);
    this.failures.show(
      FAMILIES.flatMap(([name, label, kind]) => traffic.sinceStart[name].map(row => ({ kind, reason: row[label], count: row.count }))),
      row => row.kind + row.reason);
    setText(byId('tunnels-line'), format.count(traffic.sinceStart.tunnels) + ' tunnels and ' +
      format.count(traffic.sinceStart.tlsHandshakes) + ' handshakes with clients since the start' + inspected(traffic.sinceStart));
    this.certificates.show(traffic.certificates, row => row.port + row.file + row.name);
  }
}

function inspected(sinceStart) {
  const told = sinceStart.inspectedTunnels.map(row => row.action + ' ' + format.count(row.count));
  return told.length > 0 ? '; inspected: ' + told.join(', ') : '';
}

function left(seconds) {
  const days = Math.floor(Math.abs(seconds) / 86400);
  const text = days === 1 ? '1 day' : format.count(days) + ' days';
  return seconds < 0 ? 'expired ' + text + ' ago' : text;
}

const urlCell = row => cell => {
  textCell(row.method + ' ' + row.url, 'cut url mono')(cell);
};

/** The stages one after the other, to the scale of the slowest request, and the longest ones in words. */
const waterfallCell = (row, longest) => cell => {
  if (!cell.firstChild) {
    cell.className = 'waterfall';
    let begun = 0;
    const parts = row.stages.map(stage => {
      const part = element('span', { className: 's-' + stage.stage, title: format.words(stage.stage) + ' ' + seconds(stage.seconds) });
      part.dataset.from = begun;
      part.dataset.length = stage.seconds;
      begun += stage.seconds;
      return part;
    });
    const most = row.stages.filter(stage => stage.seconds >= LEAST_SHARE * row.seconds).sort((a, b) => b.seconds - a.seconds).slice(0, TOLD_STAGES);
    const words = most.map(stage => format.words(stage.stage) + ' ' + seconds(stage.seconds)).join(', ');
    cell.append(element('div', { className: 'track' }, ...parts), element('div', { className: 'small-text quiet', textContent: words }));
  }
  for (const part of cell.firstChild.children) {
    part.style.left = (100 * part.dataset.from) / longest + '%';
    part.style.width = (100 * part.dataset.length) / longest + '%';
  }
};
