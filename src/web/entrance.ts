// Lets the browser of one person in: a link works once and for a short time, and becomes a cookie. The address of the pages
// themselves has no secret, so it may stand in a history or in a process list.
import {html} from './html.ts'
import {renderServedPage} from './page.ts'
import {createPageHeaders, createToken, isEqual} from './serve.ts'

const cookieName = 'svc-page'

interface EntranceReply {
  status: number
  headers: Record<string, string>
  text: string
}

interface EntranceSettings {
  // How long a link works that nobody has used.
  linkLifeMs: number
  // The address of the stylesheet for the pages that are shown on the way in.
  stylesheet: string
  // What to do about a link that no longer works, as a sentence.
  advice: string
}

export interface Entrance {
  // The folder of the pages, such as /Xq3…. Browsers send a cookie to every port of a machine, whoever listens there. They send
  // this one to this folder alone, whose name is new with every start and which nobody else can guess.
  folder: string
  // The path of a new link.
  createLink: () => string
  // The reply to a request for a link, or undefined if this is another path.
  enter: (method: string | undefined, path: string) => EntranceReply | undefined
  isLetIn: (cookies: string | undefined) => boolean
  // Resolves when the first link was used.
  entered: Promise<void>
}

const createReply = (status: number, text: string, headers: Record<string, string> = {}): EntranceReply => ({
  status,
  headers: {...createPageHeaders(), 'content-type': 'text/html; charset=utf-8', ...headers},
  text,
})

const renderMessage = (title: string, sentence: string, stylesheet: string) =>
  renderServedPage({
    title,
    stylesheet,
    body: html`<main>
      <div class="card">
        <h1>${title}</h1>
        <p>${sentence}</p>
      </div>
    </main>`,
  })

export function createEntrance({linkLifeMs, stylesheet, advice}: EntranceSettings): Entrance {
  const folder = `/${createToken()}`
  const linkFolder = `${folder}/enter/`
  const secret = createToken()
  // Links that nobody has used yet, and when they end.
  const links = new Map<string, number>()
  const {promise: entered, resolve: noteEntered} = Promise.withResolvers<void>()

  function takeLink(token: string): boolean {
    const [known, endsAt = 0] = [...links].find(([each]) => isEqual(each, token)) ?? []
    if (known === undefined) return false
    links.delete(known)
    return performance.now() < endsAt
  }

  return {
    folder,
    entered,
    createLink() {
      const [token, now] = [createToken(), performance.now()]
      for (const [old, endsAt] of links) if (endsAt <= now) links.delete(old)
      links.set(token, now + linkLifeMs)
      return linkFolder + token
    },
    enter(method, path) {
      if (!path.startsWith(linkFolder)) return undefined
      if (method !== 'GET') return createReply(405, '', {allow: 'GET'})
      if (!takeLink(path.slice(linkFolder.length))) {
        return createReply(403, renderMessage('This link does not work any more', advice, stylesheet))
      }
      noteEntered()
      const first = `${folder}/`
      return createReply(
        200,
        renderServedPage({
          title: 'svc',
          stylesheet,
          // A redirect by the server would still count as a request of the page that led here, and browsers send no strict cookie with
          // that. This page is one of the server's own.
          refreshTo: first,
          body: html`<main>
            <p><a href="${first}">Continue</a></p>
          </main>`,
        }),
        {
          'set-cookie': `${cookieName}=${secret}; Path=${folder}; HttpOnly; SameSite=Strict`,
          'referrer-policy': 'no-referrer',
        },
      )
    },
    isLetIn: (cookies = '') =>
      cookies.split(';').some((each) => {
        const [name, value = ''] = each.trim().split('=', 2)
        return name === cookieName && isEqual(value, secret)
      }),
  }
}
