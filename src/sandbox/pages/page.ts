// The shell of every page that the sandbox shows to a person, and the headers that keep it to itself.
import type {Reply} from '../http/reply.ts'
import {getAssetPath, type AssetName} from './assets.ts'
import {type Content, html} from './html.ts'

export interface PageContent {
  // Begins with the state, such as "Error: …", since it is the first thing that a screen reader says.
  title: string
  body: Content
  // The script of the page, one of the assets; every page works without.
  script?: AssetName
  // What the page needs beside the stylesheet of all.
  style?: AssetName
}

export interface PageSettings {
  status?: number
  // Who may show the page in a frame; nobody else may.
  frameAncestors?: readonly string[] | undefined
  // Of this page alone.
  headers?: Readonly<Record<string, string>>
}

// Nothing but what the sandbox itself serves, no script or style within the page, and no form that sends elsewhere.
const createPolicy = (frameAncestors: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'"}`,
    "base-uri 'none'",
  ].join('; ')

// The referrer stays within the site. Without any, a browser would call the origin of a form "null", and be refused.
export const createPageHeaders = (frameAncestors: readonly string[] = []): Record<string, string> => ({
  'content-security-policy': createPolicy(frameAncestors),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
})

const renderDocument = ({title, body, script, style}: PageContent) =>
  html`<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${getAssetPath('page.css')}" />
        ${style && html`<link rel="stylesheet" href="${getAssetPath(style)}" />`}
        ${script && html`<script src="${getAssetPath(script)}" defer></script>`}
      </head>
      <body>
        ${body}
      </body>
    </html> `

export const createPageReply = (
  content: PageContent,
  {status = 200, frameAncestors, headers}: PageSettings = {},
): Reply => ({
  status,
  headers: {...createPageHeaders(frameAncestors), 'content-type': 'text/html; charset=utf-8', ...headers},
  text: renderDocument(content).toString(),
})
