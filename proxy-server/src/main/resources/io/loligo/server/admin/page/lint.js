// The section "origin linter": what keeps responses of an origin out of the cache.

import { byId, numberCell, textCell } from './dom.js';
import * as format from './format.js';
import { Sorted } from './sorted.js';

/** Shows one answer of /lint after the other. */
export class Lint {
  constructor() {
    this.findings = new Sorted(byId('findings'), row => [
      textCell(row.origin, 'cut mono'), textCell(row.text, 'wrap'), numberCell(row.requests, format.count(row.requests)),
      numberCell(row.bytes, format.bytes(row.bytes)), textCell(row.field ?? '', 'mono wrap'),
    ], 'No origin has a fault in these minutes.', row => row.origin + ' ' + row.cause);
  }

  show(lint) {
    const rows = (origin, findings) => findings.map(finding => ({ origin, ...finding }));
    this.findings.show([
      ...lint.origins.flatMap(one => rows(one.origin, one.findings)), ...rows('all others', lint.otherFindings ?? []),
    ]);
  }
}
