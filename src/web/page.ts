// The HTML document around every page of svc, with one head.
import {type Content, type Html, attributes, html} from './html.ts'
import {stylesheets} from './stylesheet.frozen.ts'

const renderWhole = (title: Content, head: Content, body: Content): Html =>
  html`<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${head}
        <title>${title}</title>
      </head>
      <body>
        ${body}
      </body>
    </html> `

export interface ServedPage {
  // Starts with the state, such as "Error: …", because a screen reader reads it first.
  title: Content
  body: Content
  // Addresses at the server of the page.
  stylesheet: string
  // Every page also works without its script.
  script?: string | undefined
  // The address that the page leads to at once, without a script.
  refreshTo?: string | undefined
}

export const renderServedPage = ({title, body, stylesheet, script, refreshTo}: ServedPage): string =>
  renderWhole(
    title,
    html`<link rel="icon" href="data:," />
      ${refreshTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${refreshTo}" />`}
      <link${attributes({rel: 'stylesheet', href: stylesheet})} />
      ${script !== undefined && html`<script src="${script}" defer></script>`}`,
    body,
  ).toString()

// A page that leads to an address at once, for a file that a browser opens. Its own address is not told to anybody.
export const renderLeadingPage = (href: string): string =>
  renderWhole(
    'svc',
    html`<meta name="referrer" content="no-referrer" /> <meta http-equiv="refresh" content="0; url=${href}" />`,
    html`<p><a href="${href}">Continue</a></p>`,
  ).toString()

// Nothing is loaded and no script runs, even if the text of a service got past the escaping.
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'"

// A page that is one file, to be read without a network and to be printed.
export const renderPageFile = (title: Content, body: Content): string =>
  renderWhole(
    title,
    html`<meta http-equiv="Content-Security-Policy" content="${filePolicy}" /> <style></style>`,
    html`<main class="console paper">${body}</main>`,
  )
    .toString()
    // The template would escape the quotes of the stylesheet, and no text that it has escaped can be a tag.
    .replace('<style></style>', () => `<style>${stylesheets.paper}</style>`)
