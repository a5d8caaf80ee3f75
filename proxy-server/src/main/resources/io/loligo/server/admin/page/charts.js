// The charts over time, drawn by uPlot, with one cursor.

import uPlot from './uplot/uPlot.esm.js';
import { colour, element, onScheme, setText } from './dom.js';
import * as format from './format.js';

const HEIGHT = 132;
/** Pixels on the right of a chart. */
const RIGHT = 8;
/** Pixels of a digit in the font of the axes, at most. */
const DIGIT = 7;
const HITS = ['memory_hit', 'disk_hit', 'ims_hit', 'not_modified_hit', 'negative_hit', 'stale_hit'];
const classes = names => points => points.sum(names.map(name => 'exchanges.' + name));

const CHARTS = [
  {
    title: 'Requests a second', unit: format.number, stacked: true,
    lines: [
      { label: 'hits', colour: 'c-hit', of: classes(HITS) },
      { label: 'revalidated', colour: 'c-revalidated', of: classes(['revalidated']) },
      { label: 'misses', colour: 'c-miss', of: classes(['miss']) },
      { label: 'uncacheable', colour: 'c-uncacheable', of: classes(['uncacheable']) },
      { label: 'other', colour: 'c-other', of: classes(['tunnel', 'own_answer']) },
      { label: 'errors', colour: 'c-error', of: classes(['error']) },
    ],
  },
  {
    title: 'Bytes a second', unit: format.bytes, binary: true,
    lines: [
      { label: 'to clients', colour: 'c-hit', of: points => points.column('client_sent_bytes') },
      { label: 'from origins', colour: 'c-miss', of: points => points.column('server_received_bytes') },
    ],
  },
  {
    title: 'Hit ratio', unit: format.ratio, whole: 1,
    lines: [
      { label: 'requests', colour: 'c-hit', of: points => share(points.column('hits'), total(points)) },
      { label: 'bytes', colour: 'c-revalidated', of: points => share(points.column('client_hit_sent_bytes'), points.column('client_sent_bytes')) },
    ],
  },
  {
    title: 'Response time, p95', unit: format.time, logarithmic: true,
    lines: [
      { label: 'memory hits', colour: 'c-hit', of: points => points.column('time.memory_hit.p95') },
      { label: 'disk hits', colour: 'c-revalidated', of: points => points.column('time.disk_hit.p95') },
      { label: 'misses', colour: 'c-miss', of: points => points.column('time.miss.p95') },
    ],
  },
  {
    title: 'Connections', unit: format.number,
    lines: [
      { label: 'clients', colour: 'c-hit', of: points => points.column('client_connections.max') },
      { label: 'origins', colour: 'c-miss', of: points => points.column('server_connections.max') },
      { label: 'tunnels', colour: 'c-other', of: points => points.column('tunnels.max') },
    ],
  },
  {
    title: 'Event-loop lag and pauses', unit: format.time,
    lines: [
      { label: 'lag', colour: 'c-hit', of: points => points.column('loop_lag_microseconds.max') },
      { label: 'GC a second', colour: 'c-error', of: points => points.column('gc_paused_milliseconds').map(ms => (ms === null ? null : ms * 1000)) },
    ],
  },
];

const total = points => points.sum([...points.columns.keys()].filter(name => name.startsWith('exchanges.')));
const share = (parts, wholes) => parts.map((part, i) => (part === null || !wholes[i] ? null : part / wholes[i]));
const plain = text => text.replace(/ /g, '\u00a0');

/** A chart. Its legend tells the numbers at the cursor, else the newest ones. */
class Chart {
  constructor(form, box) {
    this.form = form;
    this.values = form.lines.map(() => element('span', { className: 'value', textContent: '–' }));
    const legend = element('ul', { className: 'legend' }, ...form.lines.map((line, i) =>
      element('li', {}, element('span', { className: 'swatch ' + line.colour }), line.label + ' ', this.values[i])));
    this.plot = element('div', { className: 'plot' });
    this.plot.setAttribute('role', 'img');
    const figure = element('figure', { className: 'chart' },
      element('figcaption', {}, element('span', { className: 'chart-title', textContent: form.title }), legend), this.plot);
    box.append(figure);
    this.data = [[], ...form.lines.map(() => [])];
    this.exact = this.data;
    this.make();
    onScheme(() => this.make());
    new ResizeObserver(() => this.fit()).observe(this.plot);
  }

  fit() {
    const width = this.plot.clientWidth;
    if (width > 0 && width !== this.uplot.width) {
      this.uplot.setSize({ width, height: HEIGHT });
    }
  }

  make() {
    this.uplot?.destroy();
    const { form } = this;
    const ink = colour('quiet');
    const grid = { stroke: colour('line'), width: 1 };
    const axis = { stroke: ink, grid, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    this.uplot = new uPlot({
      width: this.plot.clientWidth || 300,
      height: HEIGHT,
      padding: [8, RIGHT, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: 'loligo' }, y: false, drag: { setScale: false, x: false, y: false }, points: { size: 5 } },
      scales: {
        x: { time: true, range: (u, low, high) => this.span ? [high - this.span, high] : [low, high] },
        y: form.logarithmic ? { distr: 3, range: (u, low, high) => logRange(low, high) } : { range: (u, low, high) => [0, form.whole ?? top(high)] },
      },
      axes: [
        { ...axis, space: 50, size: 22, gap: 4, values: clock },
        { ...axis, space: 28, size: 58, gap: 4, values: (u, ticks) => ticks.map(tick => (tick === null ? '' : plain(form.unit(tick)))),
          ...(form.binary ? { incrs: binarySteps() } : {}), ...(form.logarithmic ? { splits: (u, axis, low, high) => powers(low, high) } : {}) },
      ],
      series: [{}, ...form.lines.map((line, i) => this.line(line, i))],
      bands: form.stacked ? form.lines.slice(1).map((line, i) => ({ series: [i + 2, i + 1] })) : [],
      hooks: { setCursor: [u => this.tell(u.cursor.idx)] },
    }, this.data, this.plot);
    this.tell(null);
  }

  line(line, i) {
    const stroke = colour(line.colour);
    return {
      label: line.label,
      stroke: this.form.stacked ? 'transparent' : stroke,
      width: 1.5,
      fill: this.form.stacked ? stroke : i === 0 ? stroke + '1f' : undefined,
      points: { show: false },
      spanGaps: this.form.logarithmic === true,
    };
  }

  show(points, span) {
    this.span = span;
    this.exact = [points.times, ...this.form.lines.map(line => line.of(points))];
    this.data = this.form.stacked ? stacked(this.exact) : this.exact;
    this.uplot.setData(this.data);
    this.tell(this.uplot.cursor.idx);
  }

  tell(at) {
    const index = at ?? this.exact[0].length - 1;
    this.form.lines.forEach((line, i) => setText(this.values[i], this.form.unit(this.exact[i + 1][index])));
  }

  /** What the picture shows, for people who do not see it. */
  describe() {
    const told = this.form.lines.map((line, i) => {
      const values = this.exact[i + 1].filter(value => value !== null);
      return values.length === 0 ? line.label + ' none'
        : line.label + ' ' + this.form.unit(values.at(-1)) + ', at most ' + this.form.unit(values.reduce((a, b) => Math.max(a, b)));
    });
    this.plot.setAttribute('aria-label', this.form.title + ': ' + told.join('; '));
  }
}

/** Each line on top of the ones before it. */
function stacked(data) {
  const sums = new Array(data[0].length).fill(0);
  return [data[0], ...data.slice(1).map(line => line.map((value, i) => (sums[i] += value ?? 0)))];
}

const top = high => (high === null || high <= 0 ? 1 : high * 1.05);

function logRange(low, high) {
  if (low === null || high === null) {
    return [10, 100000];
  }
  const least = 10 ** Math.floor(Math.log10(Math.max(1, low)));
  return [least, Math.max(least * 10, 10 ** Math.ceil(Math.log10(Math.max(1, high))))];
}

function powers(low, high) {
  const all = [];
  for (let power = low; power <= high * 1.01; power *= 10) {
    all.push(power);
  }
  return all;
}

function binarySteps() {
  const steps = [];
  for (let unit = 1; unit < 2 ** 50; unit *= 1024) {
    steps.push(...[1, 2, 5, 10, 20, 50, 100, 200, 500].map(step => step * unit));
  }
  return steps;
}

function clock(u, seconds) {
  const days = u.scales.x.max - u.scales.x.min > 2 * 86400;
  return seconds.map(second => {
    const date = new Date(second * 1000);
    const two = value => String(value).padStart(2, '0');
    const text = days ? date.getDate() + '.' + (date.getMonth() + 1) + '.'
      : two(date.getHours()) + ':' + two(date.getMinutes()) + (second % 60 ? ':' + two(date.getSeconds()) : '');
    // at the right end a text would be cut
    const room = u.bbox.width / uPlot.pxRatio - u.valToPos(second, 'x') + RIGHT;
    return room < (text.length * DIGIT) / 2 ? '' : text;
  });
}

/** All charts. */
export class Charts {
  constructor(box) {
    this.charts = CHARTS.map(form => new Chart(form, box));
    this.described = 0;
  }

  /**
   * Shows these points.
   *
   * @param span the length of the axis in seconds; 0: that of the points
   */
  show(points, span) {
    this.charts.forEach(chart => chart.show(points, span));
    const now = Date.now();
    // a screen reader that reads one is not interrupted each second
    if (now - this.described > 30000) {
      this.described = now;
      this.charts.forEach(chart => chart.describe());
    }
  }
}
