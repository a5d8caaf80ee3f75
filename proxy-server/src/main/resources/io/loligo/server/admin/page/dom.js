// Elements and tables. Names and URLs come from clients, so texts are set as text, never as HTML.

export const byId = id => document.getElementById(id);

/** Sets the text of a node, if it differs: an unchanged node is not laid out again. */
export function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

/** Sets the text of a data element, and the exact number behind it. */
export function setData(node, value, text) {
  const exact = String(value);
  if (node.value !== exact) {
    node.value = exact;
  }
  setText(node, text);
}

/** A new element with these properties and children. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A cell with a number: its text, and its exact value. */
export const numberCell = (value, text) => cell => {
  if (!cell.firstChild) {
    cell.className = 'number';
    cell.append(document.createElement('data'));
  }
  setData(cell.firstChild, value, text);
};

/** A cell with a text, and the whole of it as a title where it may be cut. */
export const textCell = (text, className = '') => cell => {
  if (cell.className !== className) {
    cell.className = className;
  }
  setText(cell, text);
  if (className.includes('cut')) {
    cell.title = text;
  }
};

/** Sets the length and the class of a bar: a span within a span. */
export function setBar(bar, share, className) {
  const inner = bar.firstChild;
  const width = (100 * Math.max(0, Math.min(1, share || 0))).toFixed(1) + '%';
  if (inner.style.width !== width) {
    inner.style.width = width;
  }
  if (inner.className !== className) {
    inner.className = className;
  }
}

/** A cell with a bar, whose number is in another cell. */
export const barCell = (share, className = '') => cell => {
  if (!cell.firstChild) {
    cell.className = 'bar-cell';
    cell.append(element('span', { className: 'bar' }, document.createElement('span')));
  }
  setBar(cell.firstChild, share, className);
};

/** The rows of a table body. A row stays the same element as long as its key is shown. */
export class Rows {
  /**
   * @param table its body is filled
   * @param cells gives the functions that fill the cells of a row; the first cell is its header
   * @param empty the text without rows
   */
  constructor(table, cells, empty) {
    this.body = table.tBodies[0];
    this.columns = table.tHead.rows[0].cells.length;
    this.headings = [...table.tHead.rows[0].cells];
    this.cells = cells;
    this.empty = empty;
    this.byKey = new Map();
    this.none = null;
  }

  /** Shows these items, in their order. */
  show(items, key) {
    const before = this.byKey;
    this.byKey = new Map();
    let place = this.body.firstElementChild;
    for (const item of items) {
      const name = key(item);
      const row = before.get(name) ?? this.newRow();
      before.delete(name);
      this.byKey.set(name, row);
      this.cells(item).forEach((fill, i) => fill(row.cells[i]));
      if (row === place) {
        place = place.nextElementSibling;
      } else {
        this.body.insertBefore(row, place);
      }
    }
    before.forEach(row => row.remove());
    this.showNone(items.length === 0);
  }

  newRow() {
    const row = document.createElement('tr');
    this.headings.forEach((heading, i) => {
      const cell = document.createElement(i === 0 ? 'th' : 'td');
      if (i === 0) {
        cell.scope = 'row';
      }
      row.append(cell);
    });
    return row;
  }

  showNone(isEmpty) {
    if (isEmpty && !this.none) {
      const cell = element('td', { colSpan: this.columns, className: 'none', textContent: this.empty });
      this.none = element('tr', {}, cell);
      this.body.append(this.none);
    } else if (!isEmpty && this.none) {
      this.none.remove();
      this.none = null;
    }
  }
}

/** A button in a cell; its action gets the value that the cell has at that time. */
export const actionCell = (label, title, value, action) => cell => {
  if (!cell.firstChild) {
    cell.className = 'action';
    const button = element('button', { type: 'button', className: 'small', textContent: label });
    button.addEventListener('click', () => action(button.dataset.of));
    cell.append(button);
  }
  const button = cell.firstChild;
  if (button.dataset.of !== value) {
    button.dataset.of = value;
    button.title = title;
    button.setAttribute('aria-label', title);
  }
};

/** Runs an action for each change of the colour scheme. */
export function onScheme(action) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', action);
}

/** The value of a custom property of the style sheet. */
export const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
