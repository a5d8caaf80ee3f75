// The section "now": the newest state in figures and tables.

import { barCell, byId, element, numberCell, Rows, setBar, setData, setText, textCell } from './dom.js';
import * as format from './format.js';

/** Classes of responses, in the order of the table. */
const CLASS_COLOURS = {
  memory_hit: 'c-hit', disk_hit: 'c-hit', ims_hit: 'c-hit', not_modified_hit: 'c-hit', negative_hit: 'c-hit', stale_hit: 'c-hit',
  revalidated: 'c-revalidated', miss: 'c-miss', uncacheable: 'c-uncacheable', tunnel: 'c-other', own_answer: 'c-other', error: 'c-error',
};
const PROTOCOLS = [
  ['1.0', 'HTTP/1.0'], ['1.1', 'HTTP/1.1'], ['2', 'HTTP/2'], ['tunnel', 'tunnel'], ['bumped', 'inspected tunnel'], ['none', 'no request read'],
];
const CONNECTIONS = [
  ['client_connections', 'From clients'], ['client_connections_idle', 'Idle, from clients'],
  ['server_connections', 'To origins and parents'], ['server_connections_idle', 'In the pool'], ['tunnels', 'Tunnels'],
  ['store_in_flight', 'Fetches in progress'], ['descriptors_used', 'Open files and sockets'],
];
const FULL = 0.9;

const sum = numbers => numbers.reduce((all, one) => all + one, 0);
const fill = (used, limit) => (limit > 0 ? used / limit : null);

/** Shows one state after the other. */
export class Now {
  constructor() {
    this.longestLags = [];
    this.classes = new Rows(byId('classes'), row => [
      textCell(format.words(row.name)), barCell(row.share, CLASS_COLOURS[row.name] ?? 'c-other'),
      numberCell(row.count, format.count(row.count)), numberCell(row.p50, time(row, row.p50)),
      numberCell(row.p95, time(row, row.p95)), numberCell(row.p99, time(row, row.p99)), numberCell(row.total, format.count(row.total)),
    ], 'No request yet.');
    this.protocols = new Rows(byId('protocols'), row => [
      textCell(row.text), barCell(row.share, 'c-other'), numberCell(row.count, format.count(row.count)),
      ...['p50', 'p95', 'p99'].map(name => numberCell(row[name], time(row, row[name]))),
    ], 'No request yet.');
    this.stages = new Rows(byId('stages'), row => [
      stageCell(row.name), shareCell(row), numberCell(row.mean, format.time(row.mean)), numberCell(row.count, format.count(row.count)),
    ], 'No request in this time.');
    this.memory = new Rows(byId('memory'), owner => [
      textCell(owner.owner), numberCell(owner.usedBytes, format.bytes(owner.usedBytes)),
      owner.limitBytes < 0 ? textCell('', 'number') : numberCell(owner.limitBytes, format.bytes(owner.limitBytes)),
      fillCell(owner.limitBytes < 0 ? null : fill(owner.usedBytes, owner.limitBytes)),
    ], 'No owner is known.');
    this.tiers = new Rows(byId('tiers'), tier => [
      textCell(tier.name, 'cut'), numberCell(tier.objects, format.number(tier.objects)),
      numberCell(tier.used, format.bytes(tier.used)), fillCell(fill(tier.used, tier.limit)),
    ], 'Nothing is stored.');
    this.disks = new Rows(byId('disks'), disk => [
      textCell(disk.path, 'cut'), textCell(disk.reason ? disk.state + ': ' + disk.reason : disk.state, disk.state === 'ready' ? '' : 'warn'),
      ...['hits', 'reads', 'writes', 'queue'].map(name => numberCell(disk[name], format.number(disk[name]))),
      numberCell(skipped(disk), format.number(skipped(disk))), numberCell(disk.damaged, format.number(disk.damaged)),
    ], 'No cache_dir.');
    this.connections = new Rows(byId('connections'), row => [textCell(row.text), numberCell(row.value, format.count(row.value))], '');
    this.sheds = new Rows(byId('sheds'), row => [
      textCell(format.words(row.name)), numberCell(row.growth, format.count(row.growth)), numberCell(row.total, format.count(row.total)),
    ], 'No request or connection was refused by a limit.');
    this.loops = new Rows(byId('loops'), row => [
      textCell(String(row.number)), numberCell(row.lag, format.time(row.lag)), numberCell(row.longest, format.time(row.longest)),
    ], '');
    this.gc = new Rows(byId('gc'), row => [
      textCell(row.name), numberCell(row.growth, row.unit(row.growth)), numberCell(row.total, row.unit(row.total)),
    ], '');
  }

  /** Shows a state, with which the minute ends. */
  show(state, minute) {
    this.figures(state, minute);
    this.times(state);
    this.memory.show(state.memory, owner => owner.owner);
    this.tiers.show(tiers(state), tier => tier.name);
    this.disks.show(state.disks, disk => disk.path);
    byId('disks-box').hidden = state.disks.length === 0;
    this.connections.show(
      CONNECTIONS.filter(([name]) => name in state.gauges).map(([name, text]) => ({ name, text, value: state.gauges[name] })), row => row.name);
    this.sheds.show(counted(state, minute, 'shed.'), row => row.name);
    this.process(state, minute);
  }

  figures(state, minute) {
    const names = Object.keys(state.classes).map(name => 'exchanges.' + name);
    const requests = minute.rate(names[0]) === null ? null : sum(names.map(name => minute.rate(name)));
    const total = sum(names.map(name => state.counters[name] ?? 0));
    figure('requests', requests, format.number);
    setText(byId('requests-sub'), 'a second, ' + format.number(total) + ' in all');
    byId('requests-sub').dataset.total = total;
    figure('sent', minute.rate('client_sent_bytes'), format.bytes);
    figure('received', minute.rate('server_received_bytes'), format.bytes);
    const recent = sum(names.map(name => minute.growth(name)));
    const sent = minute.growth('client_sent_bytes');
    // before there was any request since the page was opened, the ratios are those since the start
    const grown = recent > 0 ? name => minute.growth(name) : name => state.counters[name] ?? 0;
    figure('hit-ratio', quotient(grown('hits'), recent > 0 ? recent : total), format.ratio);
    figure('byte-hit-ratio', quotient(grown('client_hit_sent_bytes'), recent > 0 ? sent : state.counters.client_sent_bytes), format.ratio);
    windows('.ratio-window', recent > 0 ? Math.round((state.time - minute.states[0].time) / 1000) : 0);
    figure('hit-time', state.classes.memory_hit.count > 0 ? state.classes.memory_hit.p95 : null, format.time);
    figure('miss-time', state.classes.miss.count > 0 ? state.classes.miss.p95 : null, format.time);
    figure('shed', sum(counted(state, minute, 'shed.').map(row => row.growth)), format.count);
  }

  times(state) {
    const classes = Object.entries(state.classes).map(([name, row]) => ({ name, ...row, total: state.counters['exchanges.' + name] ?? 0 }));
    const all = sum(classes.map(row => row.count));
    this.classes.show(classes.filter(row => row.total > 0).map(row => ({ ...row, share: quotient(row.count, all) })), row => row.name);
    const protocols = PROTOCOLS.map(([name, text]) => ({ name, text, ...state.protocols[name] })).filter(row => row.count > 0);
    const everything = sum(protocols.map(row => row.count));
    this.protocols.show(protocols.map(row => ({ ...row, share: quotient(row.count, everything) })), row => row.name);
    const stages = Object.entries(state.stages).map(([name, row]) => ({ name, ...row, micros: row.count * row.mean }));
    const spent = sum(stages.map(row => row.micros));
    this.stages.show(
      stages.filter(row => row.count > 0).map(row => ({ ...row, share: quotient(row.micros, spent) })).sort((a, b) => b.share - a.share), row => row.name);
    windows('.time-window', state.windowSeconds);
  }

  process(state, minute) {
    this.longestLags = state.loopLagMicros.map((lag, i) => Math.max(lag, this.longestLags[i] ?? 0));
    this.loops.show(state.loopLagMicros.map((lag, number) => ({ number, lag, longest: this.longestLags[number] })), row => row.number);
    const row = (name, counter, unit) => ({ name, unit, growth: minute.growth(counter), total: state.counters[counter] ?? 0 });
    this.gc.show([row('Number', 'gc_pauses', format.count), row('Time', 'gc_paused_milliseconds', millis => format.time(millis * 1000))], one => one.name);
  }
}

const time = (row, micros) => format.time(row.count > 0 ? micros : null);
const quotient = (part, whole) => (whole > 0 ? (part ?? 0) / whole : null);
const skipped = disk => disk.skipped_queue_full + disk.skipped_other;

function figure(id, value, unit) {
  setData(byId(id), value ?? '', unit(value));
}

/** The texts that tell the time that numbers are about; 0 seconds: since the start. */
function windows(selector, seconds) {
  const text = seconds === 0 ? 'since the start' : seconds >= 59 ? 'last minute' : 'last ' + seconds + ' s';
  document.querySelectorAll(selector).forEach(node => setText(node, text));
}

function counted(state, minute, prefix) {
  return Object.entries(state.counters).filter(([name]) => name.startsWith(prefix))
    .map(([name, total]) => ({ name: name.slice(prefix.length), total, growth: minute.growth(name) }));
}

function tiers(state) {
  const memory = state.memory.find(owner => owner.owner === 'cache');
  const first = memory ? [{ name: 'memory', objects: state.gauges.store_entries, used: memory.usedBytes, limit: memory.limitBytes }] : [];
  return [...first, ...state.disks.map(disk => ({ name: disk.path, objects: disk.objects, used: disk.used_bytes, limit: disk.capacity_bytes }))];
}

function stageCell(name) {
  return cell => {
    if (!cell.firstChild) {
      const swatch = document.createElement('span');
      swatch.className = 'swatch s-' + name;
      cell.append(swatch, format.words(name));
    }
  };
}

const shareCell = row => cell => {
  meterCell(cell, row.share, 's-' + row.name, format.ratio(row.share));
};

const fillCell = share => cell => {
  if (share === null) {
    cell.replaceChildren();
  } else {
    meterCell(cell, share, share > FULL ? 'c-miss' : 'c-hit', format.ratio(share));
  }
};

/** A bar with its number beside it. */
function meterCell(cell, share, className, text) {
  if (!cell.firstChild) {
    cell.className = 'meter';
    const bar = element('span', { className: 'bar' }, document.createElement('span'));
    cell.append(element('div', {}, bar, document.createElement('data')));
  }
  const [bar, number] = cell.firstChild.children;
  setBar(bar, share, className);
  setData(number, share, text);
}
