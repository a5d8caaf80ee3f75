// The live page of the admin port.

import { Charts } from './charts.js';
import { Cluster } from './cluster.js';
import { prepareConfig } from './config.js';
import { byId, setText } from './dom.js';
import { prepareExplain } from './explain.js';
import * as format from './format.js';
import { Lint } from './lint.js';
import { listen } from './live.js';
import { Now } from './now.js';
import { poll } from './poll.js';
import { preparePurge } from './purge.js';
import { Minute, Points } from './series.js';
import { Traffic } from './traffic.js';
import { WhatIf } from './whatif.js';

const LIVE_RANGE = '5m';
const LIVE_SECONDS = 300;
/** Charts of longer ranges are read again after this time. */
const REREAD_MILLIS = { '1h': 10000, '24h': 60000, '30d': 600000 };

/** Sections that the proxy may lack, and the seconds after which each is read again. */
const SECTIONS = { traffic: [Traffic, 5], cluster: [Cluster, 2], whatif: [WhatIf, 30], lint: [Lint, 15] };

const charts = new Charts(byId('charts'));
const now = new Now();
const minute = new Minute();
const live = new Points();
let range = LIVE_RANGE;
let reread = 0;
let connection = '';
let newest = null;

const isPaused = () => byId('pause').getAttribute('aria-pressed') === 'true';

function showState() {
  const text = { live: newest?.ready === false ? 'Not ready: ' + newest.reason : 'Live', silent: 'No event for 6 seconds', lost: 'Connection lost, trying again' }[connection];
  byId('state').dataset.state = connection === 'live' && newest?.ready === false ? 'notready' : connection;
  setText(byId('state-text'), isPaused() ? 'Paused' : text ?? 'Connecting');
}

async function onState(state) {
  if (!newest) {
    newest = state;
    state.sections.forEach(openSection);
    if (state.gauges.cluster_members > 0) {
      openSection('cluster');
    }
    if (state.history) {
      await loadHistory();
    }
  }
  newest = state;
  minute.add(state);
  live.add(state);
  if (!isPaused()) {
    show();
  }
  document.documentElement.dataset.events = 1 + Number(document.documentElement.dataset.events ?? 0);
}

function show() {
  showState();
  if (!newest) {
    return;
  }
  setText(byId('version'), newest.version);
  setText(byId('up'), format.span(newest.upSeconds));
  byId('history-note').hidden = newest.history;
  now.show(newest, minute);
  if (range === LIVE_RANGE) {
    charts.show(live, LIVE_SECONDS);
  }
}

function openSection(name) {
  const [Section, seconds] = SECTIONS[name];
  byId(name).hidden = false;
  document.querySelector('nav a[href="#' + name + '"]').parentElement.hidden = false;
  const section = new Section();
  poll('/' + name, seconds, isPaused, answer => section.show(answer));
}

async function loadHistory() {
  try {
    await live.load(LIVE_RANGE);
  } catch {
    // the charts begin with the page
  }
}

async function showRange() {
  clearTimeout(reread);
  if (range === LIVE_RANGE) {
    charts.show(live, LIVE_SECONDS);
    return;
  }
  const wanted = range;
  const points = new Points();
  try {
    await points.load(wanted);
  } catch {
    // the connection is lost, which the state tells; it is read again
  }
  if (wanted === range) {
    if (!isPaused()) {
      charts.show(points, 0);
    }
    reread = setTimeout(showRange, REREAD_MILLIS[wanted]);
  }
}

for (const choice of document.getElementsByName('range')) {
  choice.addEventListener('change', () => {
    range = choice.value;
    showRange();
  });
}
byId('pause').addEventListener('click', () => {
  const pause = !isPaused();
  byId('pause').setAttribute('aria-pressed', String(pause));
  show();
});

prepareExplain();
preparePurge();
prepareConfig();
listen(onState, state => {
  connection = state;
  showState();
});
