// The reply with a page of the hosted forms.
import {type ServedPage, renderServedPage} from '../../web/page.ts'
import {createPageHeaders} from '../../web/serve.ts'
import {getAssetPath} from './assets.ts'
import type {Reply} from './reply.ts'

type PageContent = Pick<ServedPage, 'title' | 'body'>

export interface PageSettings {
  status?: number
  // The origins that may show the page in a frame; none unless given.
  frameAncestors?: readonly string[] | undefined
  headers?: Readonly<Record<string, string>>
}

export const createPageReply = (
  {title, body}: PageContent,
  {status = 200, frameAncestors, headers}: PageSettings = {},
): Reply => ({
  status,
  headers: {...createPageHeaders(frameAncestors), 'content-type': 'text/html; charset=utf-8', ...headers},
  text: renderServedPage({
    title,
    body,
    stylesheet: getAssetPath('page.css'),
  }),
})
