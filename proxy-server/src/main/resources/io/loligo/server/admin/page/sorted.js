// Tables that a reader sorts by a column, with the first rows until all are wanted.

import { element, Rows, setText } from './dom.js';
import * as format from './format.js';

const FIRST = 10;

/** A table of sums. Its headings with data-by are buttons that sort. */
export class Sorted {
  /**
   * @param table its first heading with aria-sort is the present order
   * @param cells as for Rows
   * @param empty the text without rows
   * @param key the name of a row
   */
  constructor(table, cells, empty, key) {
    this.rows = new Rows(table, cells, empty);
    this.key = key;
    this.items = [];
    this.isWhole = false;
    this.headings = [...table.tHead.rows[0].cells].filter(heading => heading.dataset.by);
    this.by = this.headings.find(heading => heading.ariaSort)?.dataset.by;
    this.headings.forEach(heading => this.makeButton(heading));
    this.more = element('button', { type: 'button', className: 'small more', hidden: true });
    this.more.addEventListener('click', () => {
      this.isWhole = !this.isWhole;
      this.draw();
    });
    table.after(this.more);
  }

  makeButton(heading) {
    const button = element('button', { type: 'button', className: 'sort', textContent: heading.textContent });
    heading.replaceChildren(button);
    button.addEventListener('click', () => {
      this.by = heading.dataset.by;
      this.draw();
    });
  }

  show(items) {
    this.items = items;
    this.draw();
  }

  draw() {
    for (const heading of this.headings) {
      heading.ariaSort = heading.dataset.by === this.by ? 'descending' : null;
    }
    const sorted = [...this.items].sort((a, b) => (b[this.by] ?? 0) - (a[this.by] ?? 0));
    this.rows.show(this.isWhole ? sorted : sorted.slice(0, FIRST), this.key);
    this.more.hidden = sorted.length <= FIRST;
    setText(this.more, this.isWhole ? 'First ' + FIRST : 'All ' + format.count(sorted.length));
  }
}
