// Serves the console of a profile on this machine. It only reads.
import {minuteMs} from '../values/time.ts'
import {type ConsoleContext, type ConsolePage, createLink} from '../web/console/context.ts'
import {isConsolePage, renderPage, renderShell} from '../web/console/routes.ts'
import type {ConsoleSource} from '../web/console/source.ts'
import {type PageServer, createPageReply, createTextReply, servePages, stylesheetPath} from '../web/entrance.ts'
import {html} from '../web/html.ts'
import {stylesheets} from '../web/stylesheet.frozen.ts'

// Nobody looks for the link in a terminal that was left for longer.
const linkLifeMs = 10 * minuteMs

export interface ConsoleServerOptions {
  source: ConsoleSource
  // 0 picks a free one.
  port: number
  // Called with errors of svc itself, of which the page shows only that there was one.
  onFault: (error: unknown) => void
}

const brokenPage: ConsolePage = {
  title: 'Something went wrong in svc',
  status: 500,
  body: html`<h1>Something went wrong in svc</h1>
    <p>The terminal in which it runs says what. Nothing was changed.</p>`,
}

export function startConsoleServer({source, port, onFault}: ConsoleServerOptions): Promise<PageServer> {
  return servePages({
    port,
    linkLifeMs,
    onFault,
    css: stylesheets.console,
    isReadOnly: true,
    // A page that was not read yet is lost with nothing.
    graceMs: 0,
    advice: 'It was used before, or is too old. Run svc console again.',
    notLetIn: 'The console is opened by a link that works once: run svc console, and use the link that it prints.',
    handle: async (_, {url, folder, path}) => {
      if (!isConsolePage(path)) {
        return createTextReply(404, 'The console has no such page.')
      }
      const context: ConsoleContext = {
        source,
        path,
        query: Object.fromEntries(url.searchParams),
        now: Date.now(),
        link: (at, parameters) => createLink(folder, at, parameters),
      }
      const page = await renderPage(context).catch((error: unknown) => {
        onFault(error)
        return brokenPage
      })
      return createPageReply(page.status ?? 200, renderShell(context, page, {stylesheet: stylesheetPath}))
    },
  })
}
