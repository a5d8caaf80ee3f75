// The section "what if": hit ratios of other sizes of the cache.

import uPlot from './uplot/uPlot.esm.js';
import { byId, colour, numberCell, onScheme, Rows, setText, textCell } from './dom.js';
import * as format from './format.js';

const HEIGHT = 190;

/** One tier: its curve with today's size marked, and a table of three sizes. */
class Tier {
  constructor(name) {
    this.box = byId('whatif-' + name);
    this.plot = this.box.querySelector('.plot');
    this.rows = new Rows(this.box.querySelector('table'), row => [
      textCell(row.name), numberCell(row.sizeBytes, format.bytes(row.sizeBytes)),
      row.hitRatio === undefined ? numberCell(row.hitRatioPoints, points(row.hitRatioPoints)) : numberCell(row.hitRatio, format.ratio(row.hitRatio)),
      row.hitRatio === undefined ? numberCell(row.byteHitRatioPoints, points(row.byteHitRatioPoints)) : numberCell(row.byteHitRatio, format.ratio(row.byteHitRatio)),
    ], '');
    this.tier = null;
    onScheme(() => this.draw());
    new ResizeObserver(() => this.fit()).observe(this.plot);
  }

  show(tier) {
    this.box.hidden = !tier;
    if (!tier) {
      return;
    }
    this.tier = tier;
    setText(this.box.querySelector('.verdict'), tier.text.charAt(0).toUpperCase() + tier.text.slice(1));
    this.rows.show([
      { name: 'half', ...tier.halved }, { name: 'today', sizeBytes: tier.sizeBytes, hitRatio: tier.hitRatio, byteHitRatio: tier.byteHitRatio },
      { name: 'double', ...tier.doubled },
    ], row => row.name);
    setText(this.box.querySelector('.measured'), tier.measuredHitRatio === null ? ''
      : 'Measured over the same requests: ' + format.ratio(tier.measuredHitRatio) + ' of requests, ' + format.ratio(tier.measuredByteHitRatio) + ' of bytes.');
    this.plot.setAttribute('aria-label', 'Hit ratio against size: ' +
      tier.curve.map(point => format.bytes(point.sizeBytes) + ' ' + format.ratio(point.hitRatio)).join(', '));
    this.draw();
  }

  fit() {
    const width = this.plot.clientWidth;
    if (this.uplot && width > 0 && width !== this.uplot.width) {
      this.uplot.setSize({ width, height: HEIGHT });
    }
  }

  draw() {
    if (!this.tier) {
      return;
    }
    this.uplot?.destroy();
    const grid = { stroke: colour('line'), width: 1 };
    const axis = { stroke: colour('quiet'), grid, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    const line = (label, name) => ({ label, stroke: colour(name), width: 1.75, points: { show: true, size: 4, fill: colour(name) } });
    const { curve, sizeBytes } = this.tier;
    this.uplot = new uPlot({
      width: this.plot.clientWidth || 300,
      height: HEIGHT,
      padding: [18, 28, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, distr: 3, log: 2 }, y: { range: [0, 1] } },
      axes: [
        { ...axis, size: 24, gap: 4, splits: () => curve.map(point => point.sizeBytes),
          values: (u, sizes) => sizes.map(format.bytes), filter: (u, sizes) => sizes },
        { ...axis, size: 52, gap: 4, values: (u, shares) => shares.map(format.ratio) },
      ],
      series: [{}, line('requests', 'c-hit'), line('bytes', 'c-revalidated')],
      hooks: { draw: [u => mark(u, sizeBytes)] },
    }, [curve.map(point => point.sizeBytes), curve.map(point => point.hitRatio), curve.map(point => point.byteHitRatio)], this.plot);
  }
}

const points = value => (value > 0 ? '+' : '') + value.toFixed(1) + ' points';

/** A line at today's size. */
function mark(u, sizeBytes) {
  const x = Math.round(u.valToPos(sizeBytes, 'x', true));
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour('ink');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top - 2);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = 11 * devicePixelRatio + 'px system-ui, sans-serif';
  ctx.textAlign = 'center';
  ctx.fillText('today', x, bbox.top - 5 * devicePixelRatio);
  ctx.restore();
}

/** Shows one answer of /whatif after the other. */
export class WhatIf {
  constructor() {
    this.memory = new Tier('memory');
    this.disk = new Tier('disk');
  }

  show(whatIf) {
    setText(byId('whatif-samples'), whatIf.sampledRequests === 0 ? 'No request is sampled yet.'
      : 'From ' + format.count(whatIf.sampledRequests) + ' sampled requests since ' + new Date(whatIf.samplingSince).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }) + '.');
    this.memory.show(whatIf.sampledRequests > 0 ? whatIf.memory : null);
    this.disk.show(whatIf.sampledRequests > 0 ? whatIf.disk : null);
  }
}
