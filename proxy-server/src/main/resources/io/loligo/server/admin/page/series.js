// The points of the charts: from /history when the page is opened, then one for each event.

/** Names of /history; a name with * stands for all that begin so. */
const COUNTERS = ['exchanges.*', 'hits', 'client_sent_bytes', 'client_hit_sent_bytes', 'server_received_bytes', 'shed.*',
  'gc_paused_milliseconds'];
const GAUGES = ['client_connections', 'server_connections', 'tunnels', 'loop_lag_microseconds'];
const TIMES = ['time.memory_hit', 'time.disk_hit', 'time.miss'];
const POINTS = 300;

const isGauge = column => column.endsWith('.mean') || column.endsWith('.max');
const isTime = column => column.startsWith('time.');

/** Points in time with numbers by name: rates a second for counters, values for gauges, microseconds for times. */
export class Points {
  constructor() {
    this.times = [];
    this.columns = new Map();
    this.before = null;
  }

  /** The numbers of a column; null where there is none. */
  column(name) {
    return this.columns.get(name) ?? new Array(this.times.length).fill(null);
  }

  /** The sum of columns; null where none of them has a number. */
  sum(names) {
    const all = names.map(name => this.column(name));
    return this.times.map((time, i) =>
      all.every(column => column[i] === null) ? null : all.reduce((sum, column) => sum + (column[i] ?? 0), 0));
  }

  /** All of a range of the history; false: there is no history. */
  async load(range) {
    const series = [...COUNTERS, ...GAUGES, ...TIMES].join(',');
    const answer = await fetch('/history?range=' + range + '&series=' + encodeURIComponent(series));
    if (!answer.ok) {
      return false;
    }
    const history = await answer.json();
    this.times = history.times;
    this.columns = new Map();
    for (const [name, values] of Object.entries(history.series)) {
      this.columns.set(name, values.map((value, i) => this.loaded(name, value, history.covered[i])));
    }
    return true;
  }

  loaded(name, value, coveredMillis) {
    if (value === null) {
      return null;
    }
    if (isGauge(name)) {
      return value;
    }
    // a percentile of nothing is no number
    return isTime(name) ? value || null : (value * 1000) / coveredMillis;
  }

  /** Adds the difference of two states as a point. */
  add(state) {
    const before = this.before;
    this.before = state;
    if (!before || state.time - before.time < 100 || state.upSeconds < before.upSeconds) {
      return;
    }
    const time = Math.floor(state.time / 1000) - 1;
    const point = new Map();
    const seconds = (state.time - before.time) / 1000;
    const classes = Object.keys(state.classes).map(name => 'exchanges.' + name);
    for (const name of new Set([...classes, ...Object.keys(state.counters), ...this.columns.keys()])) {
      if (!isGauge(name) && !isTime(name)) {
        point.set(name, ((state.counters[name] ?? 0) - (before.counters[name] ?? 0)) / seconds);
      }
    }
    for (const [name, value] of Object.entries(state.gauges)) {
      point.set(name + '.mean', value);
      point.set(name + '.max', value);
    }
    for (const [name, times] of Object.entries(state.classes)) {
      point.set('time.' + name + '.p95', times.newestP95 || null);
    }
    this.append(time, point);
  }

  append(time, point) {
    const last = this.times.length - 1;
    if (last >= 0 && this.times[last] >= time) {
      return; // the history has it already
    }
    for (const name of point.keys()) {
      if (!this.columns.has(name)) {
        this.columns.set(name, new Array(this.times.length).fill(null));
      }
    }
    this.times.push(time);
    this.columns.forEach((values, name) => values.push(point.get(name) ?? null));
    while (this.times.length > POINTS) {
      this.times.shift();
      this.columns.forEach(values => values.shift());
    }
  }
}

/** The states of the last minute, to tell what has happened in it. */
export class Minute {
  constructor() {
    this.states = [];
  }

  add(state) {
    const last = this.states.at(-1);
    if (last && state.upSeconds < last.upSeconds) {
      this.states = []; // another process
    }
    this.states.push(state);
    while (this.states.length > 2 && state.time - this.states[1].time >= 60000) {
      this.states.shift();
    }
  }

  /** How much a counter has grown. */
  growth(name) {
    const newest = this.states.at(-1).counters[name] ?? 0;
    return newest - (this.states[0].counters[name] ?? 0);
  }

  /** How much a counter grew a second, between the last two states. */
  rate(name) {
    const newest = this.states.at(-1);
    const before = this.states.at(-2);
    return before ? ((newest.counters[name] ?? 0) - (before.counters[name] ?? 0)) / ((newest.time - before.time) / 1000) : null;
  }
}
