// HTML as text that is safe by construction: whatever is put into the template is escaped, unless it is HTML already.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

// Good for text and for the value of an attribute that stands in quotes.
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? letter)

// Only the template makes these, so that no text can pass for HTML.
class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Html = Markup

export type Content = Html | string | number | false | null | undefined | readonly Content[]

function textOf(content: Content): string {
  if (content instanceof Markup) return content.text
  if (content === undefined || content === null || content === false) return ''
  return typeof content === 'object' ? content.map(textOf).join('') : escaped(String(content))
}

// html`<p>${anything}</p>`: text is escaped, HTML and lists of it stay, what is absent or false leaves nothing.
export const html = (pieces: TemplateStringsArray, ...contents: Content[]): Html =>
  new Markup(pieces.map((piece, index) => (index === 0 ? piece : textOf(contents[index - 1]) + piece)).join(''))

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

const attributeName = /^[a-z][a-z\d-]*$/

// Attributes of a tag, each with a blank before it: html`<input${attributes({name, required})}>`. True stands for its
// name alone; false and undefined are left out.
export function attributes(values: Attributes): Html {
  const written = Object.entries(values).map(([name, value]) => {
    if (!attributeName.test(name)) throw new Error(`${name} is no name of an attribute`)
    if (value === undefined || value === false) return ''
    return value === true ? ` ${name}` : ` ${name}="${escaped(String(value))}"`
  })
  return new Markup(written.join(''))
}
