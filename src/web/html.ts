// Builds HTML with hono's template, which escapes every interpolated value that is not HTML itself.
import {html as honoHtml} from 'hono/html'

// Not assignable to string, so that HTML cannot end up where plain text is expected. Only the template creates it:
// hono's `raw` is deliberately not exported here.
export interface Html {
  readonly isEscaped: true
  toString(): string
}

export type Content = Html | string | number | false | null | undefined | readonly Content[]

// html`<p>${content}</p>`: text is escaped, HTML is inserted as it is, lists are joined, absent and false values are
// left out. Without promises among the contents, hono always returns the HTML itself and not a promise.
export const html = honoHtml as (strings: TemplateStringsArray, ...contents: Content[]) => Html

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

const attributeName = /^[a-z][a-z\d-]*$/

// Each attribute starts with a space: html`<input${attributes({name, required})}>`. True is written as the name alone;
// false and undefined are left out.
export function attributes(values: Attributes): Html {
  const written = Object.entries(values).map(([name, value]) => {
    if (!attributeName.test(name)) throw new Error(`${name} is not an attribute name`)
    if (value === undefined || value === false) return undefined
    return value === true ? html` ${name}` : html` ${name}="${String(value)}"`
  })
  return html`${written}`
}
