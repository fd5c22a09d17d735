// The HTML shell of every page of the sandbox.
import {createPageHeaders} from '../../web/serve.ts'
import type {Reply} from './reply.ts'
import {getAssetPath, type AssetName} from './assets.ts'
import {type Content, html} from '../../web/html.ts'

export interface PageContent {
  // Starts with the state, such as "Error: …", because a screen reader reads it first.
  title: string
  body: Content
  // Every page also works without its script.
  script?: AssetName
  // Loaded in addition to the common stylesheet.
  style?: AssetName
}

export interface PageSettings {
  status?: number
  // The origins that may show the page in a frame; none unless given.
  frameAncestors?: readonly string[] | undefined
  headers?: Readonly<Record<string, string>>
}

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
