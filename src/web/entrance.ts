// Serves pages to the browser of one person, on this machine alone, and lets it in: a link works once and for a short time, and becomes a cookie. The address of the pages
// themselves has no secret, so it may stand in a history or in a process list.
import type {IncomingMessage} from 'node:http'
import {isEqualSecret} from '../values/text.ts'
import {type Content, html} from './html.ts'
import {renderServedPage} from './page.ts'
import {type LocalReply, type LocalServer, createPageHeaders, createToken, serveLocal} from './serve.ts'

const cookieName = 'svc-page'

interface EntranceSettings {
  // How long a link works that nobody has used.
  linkLifeMs: number
  // The address of the stylesheet for the pages that are shown on the way in.
  stylesheet: string
  // What to do about a link that no longer works, as a sentence.
  advice: string
}

export type Entrance = ReturnType<typeof createEntrance>

export type PageReply = Required<LocalReply>

export const createPageReply = (status: number, text: string, headers: Record<string, string> = {}): PageReply => ({
  status,
  headers: {...createPageHeaders(), 'content-type': 'text/html; charset=utf-8', ...headers},
  text,
})

export const createTextReply = (status: number, text: string, headers: Record<string, string> = {}): PageReply =>
  createPageReply(status, `${text}\n`, {'content-type': 'text/plain; charset=utf-8', ...headers})

// A page that says one thing.
export const renderMessage = (title: string, content: Content, stylesheet: string, refreshTo?: string): string =>
  renderServedPage({
    title,
    stylesheet,
    refreshTo,
    body: html`<main>
      <div class="card">
        <h1>${title}</h1>
        ${content}
      </div>
    </main>`,
  })

export function createEntrance({linkLifeMs, stylesheet, advice}: EntranceSettings) {
  // The folder of the pages, such as /Xq3…. Browsers send a cookie to every port of a machine, whoever listens there. They send
  // this one to this folder alone, whose name is new with every start and which nobody else can guess.
  const folder = `/${createToken()}`
  const linkFolder = `${folder}/enter/`
  const secret = createToken()
  // Links that nobody has used yet, and when they end.
  const links = new Map<string, number>()
  const {promise: entered, resolve: noteEntered} = Promise.withResolvers<void>()

  function takeLink(token: string): boolean {
    const [known, endsAt = 0] = [...links].find(([each]) => isEqualSecret(each, token)) ?? []
    if (known === undefined) return false
    links.delete(known)
    return performance.now() < endsAt
  }

  return {
    folder,
    // Resolves when the first link was used.
    entered,
    // The path of a new link.
    createLink() {
      const [token, now] = [createToken(), performance.now()]
      for (const [old, endsAt] of links) if (endsAt <= now) links.delete(old)
      links.set(token, now + linkLifeMs)
      return linkFolder + token
    },
    // The reply to a request for a link, or undefined if this is another path.
    enter(method: string | undefined, path: string): PageReply | undefined {
      if (!path.startsWith(linkFolder)) return undefined
      if (method !== 'GET') return createPageReply(405, '', {allow: 'GET'})
      if (!takeLink(path.slice(linkFolder.length))) {
        const title = 'This link does not work any more'
        return createPageReply(403, renderMessage(title, html`<p>${advice}</p>`, stylesheet))
      }
      noteEntered()
      const first = `${folder}/`
      // A redirect by the server would still count as a request of the page that led here, and browsers send no strict cookie with
      // that. This page is one of the server's own.
      const page = renderMessage('svc', html`<p><a href="${first}">Continue</a></p>`, stylesheet, first)
      return createPageReply(200, page, {
        'set-cookie': `${cookieName}=${secret}; Path=${folder}; HttpOnly; SameSite=Strict`,
        'referrer-policy': 'no-referrer',
      })
    },
    isLetIn: (cookies: string | undefined): boolean =>
      (cookies ?? '').split(';').some((each) => {
        const [name, value = ''] = each.trim().split('=', 2)
        return name === cookieName && isEqualSecret(value, secret)
      }),
  }
}

interface PageServerOptions extends Omit<EntranceSettings, 'stylesheet'> {
  // 0 picks a free one.
  port: number
  css: string
  // Every method but GET and HEAD is refused.
  isReadOnly: boolean
  // What is said to whoever was not let in.
  notLetIn: string
  // `path` is below the folder of the pages.
  handle: (request: IncomingMessage, page: {url: URL; folder: string; path: string}) => Promise<PageReply>
  graceMs?: number
  onFault?: (error: unknown) => void
}

export interface PageServer extends LocalServer {
  // A link that lets one browser in, once.
  createLink: () => string
  entered: Promise<void>
}

export const stylesheetPath = '/page.css'

export async function servePages(options: PageServerOptions): Promise<PageServer> {
  const entrance = createEntrance({...options, stylesheet: stylesheetPath})
  const {folder} = entrance
  const {css, isReadOnly, notLetIn, handle} = options

  async function respond(request: IncomingMessage, origin: string): Promise<PageReply> {
    const {method, headers, url: target = '/'} = request
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead && isReadOnly) return createTextReply(405, 'These pages only read.', {allow: 'GET, HEAD'})
    if (!isRead && headers.origin !== origin)
      return createTextReply(403, 'This did not come from a page of this server.')
    const url = URL.parse(target, origin)
    if (!url) return createTextReply(400, 'This is not an address of a page.')
    // The server may end with an answer, and the page that thanks for it still needs its looks.
    const cached = {'content-type': 'text/css; charset=utf-8', 'cache-control': 'private, max-age=600'}
    if (url.pathname === stylesheetPath) return createPageReply(200, css, cached)
    const entered = entrance.enter(method, url.pathname)
    if (entered) return entered
    if (!url.pathname.startsWith(`${folder}/`) || !entrance.isLetIn(headers.cookie))
      return createTextReply(403, notLetIn)
    return handle(request, {url, folder, path: url.pathname.slice(folder.length)})
  }

  const server = await serveLocal({...options, handle: respond})
  return {...server, createLink: () => server.origin + entrance.createLink(), entered: entrance.entered}
}
