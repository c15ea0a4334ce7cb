/** HTML as text: every value is escaped unless it is HTML already. */

class Html {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escape = (text) => String(text).replace(/[&<>"']/g, (character) => entities[character]);

/** Marks text that is HTML already. */
export const raw = (text) => new Html(text);

function render(value) {
  if (value === undefined || value === null || value === false) return '';
  if (Array.isArray(value)) return value.map(render).join('');
  return value instanceof Html ? value.text : escape(value);
}

export const html = (parts, ...values) =>
  new Html(parts.reduce((text, part, index) => text + render(values[index - 1]) + part));
