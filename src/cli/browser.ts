// Opens links, pages and hosted forms in the user's browser, and says why if that failed. Whoever has the address of a form or of a
// page of svc can use it, and other users see the arguments of a browser. So the browser is given a private file that leads there.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {pathToFileURL} from 'node:url'
import type {Caller} from '../profiles/caller.ts'
import {fileMode, folderMode} from '../storage/private-file.ts'
import {type SandboxForms, findSandboxForms} from '../transport.ts'
import {listSecretVariables} from '../values/environment.ts'
import {renderLeadingPage} from '../web/page.ts'
import {runAfterOutput, waitForStopSignal} from './exit.ts'
import {cleanText} from './output/clean.ts'
import type {ItemResult, Result} from './output/result.ts'
import {type View, isUnservedLink} from './output/view.ts'

// A launcher that has not failed by then has passed the link on, or is the browser itself.
const launchMs = 1500

// Other protocols may start another program, so they are never opened.
const protocols = new Set(['http:', 'https:'])

const noDisplay = 'there is no display here'

const hasDisplay = ({DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME}: NodeJS.ProcessEnv) =>
  process.platform === 'darwin' ||
  process.platform === 'win32' ||
  Boolean(DISPLAY ?? WAYLAND_DISPLAY ?? WSL_DISTRO_NAME)

// A browser that was started has read the file by then.
const readMs = 3_000

interface LeadingFile {
  file: string
  remove: () => void
}

function writeLeadingFile(href: string): LeadingFile {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-open-'))
  const remove = () => {
    process.off('exit', remove)
    fs.rmSync(folder, {recursive: true, force: true})
  }
  process.once('exit', remove)
  try {
    fs.chmodSync(folder, folderMode)
    const file = path.join(folder, 'page.html')
    fs.writeFileSync(file, renderLeadingPage(href), {mode: fileMode, flag: 'wx'})
    return {file, remove}
  } catch (error) {
    remove()
    throw error
  }
}

// Returns why the link was not opened, as the second half of a sentence, or undefined if it was opened. The file that leads there is
// removed when `isUsed` resolves or, without it, when the command has printed everything and the browser had time to read it.
export async function openLink(link: string, isUsed?: Promise<unknown>): Promise<string | undefined> {
  const url = URL.parse(link)
  if (!url || !protocols.has(url.protocol)) return 'it is not an http or https address'
  if (!hasDisplay(process.env)) return noDisplay
  let leading: LeadingFile
  try {
    leading = writeLeadingFile(url.href)
  } catch {
    return 'the page that leads there could not be written'
  }
  const {file, remove} = leading
  const problem = await openPageFile(file)
  if (problem !== undefined) remove()
  else if (isUsed) void isUsed.finally(remove)
  else {
    const removed = sleep(readMs).then(remove)
    runAfterOutput(() => removed)
  }
  return problem
}

// How long a browser may take to show a page before its link is announced.
const showMs = 15_000

interface OwnPage {
  // Works once.
  link: string
  // Resolves when a browser shows the page, or when it is no longer needed.
  isSeen: Promise<unknown>
  // Called with the link if no browser shows it: what is printed may end up in a log, and other people may read a screen.
  announce: (link: string) => void
}

// Opens a page of this process. Returns why it was not opened, as openLink does.
export async function openOwnPage({link, isSeen, announce}: OwnPage): Promise<string | undefined> {
  const problem = await openLink(link, isSeen)
  if (problem !== undefined) {
    announce(link)
    return problem
  }
  const timer = setTimeout(announce, showMs, link)
  void isSeen.finally(() => clearTimeout(timer))
  return undefined
}

// Opens a page that svc itself wrote to a file. A browser of Windows needs another path, which only a plain path is turned into.
const openPageFile = (file: string): Promise<string | undefined> =>
  launchBrowser(process.env['WSL_DISTRO_NAME'] ? file : pathToFileURL(file).href)

const notFoundCode = 127
const noLauncher = 'no program to open it with was found'

// The browser needs no secret of svc. On Linux it inherits the environment, so that `env` removes them by their names; on a Mac the
// system starts it.
function getLauncher(): {app?: {name: string; arguments: string[]}} {
  if (process.platform !== 'linux' || process.env['WSL_DISTRO_NAME']) return {}
  const removed = listSecretVariables(process.env).flatMap((name) => ['-u', name])
  return {app: {name: 'env', arguments: [...removed, 'xdg-open']}}
}

async function launchBrowser(href: string): Promise<string | undefined> {
  if (!hasDisplay(process.env)) return noDisplay
  const {default: open} = await import('open')
  try {
    const launcher = await open(href, getLauncher())
    return await new Promise((resolve) => {
      const timer = setTimeout(resolve, launchMs, undefined)
      launcher.once('close', (code) => {
        clearTimeout(timer)
        if (code === notFoundCode) resolve(noLauncher)
        else resolve(code ? `the browser could not be started (code ${code})` : undefined)
      })
    })
  } catch {
    return noLauncher
  }
}

// A page that svc opened or printed: what it is, whose it is, and its address. In a pipe only the address is printed.
export interface OpenedPage {
  page: 'verification form' | 'bank account form' | 'payment page'
  // The id of the customer or transaction that it belongs to.
  id: string
  url: string
}

export const openedPageView: View<OpenedPage> = {
  singular: 'page',
  plural: 'pages',
  columns: [
    {name: 'page', header: 'PAGE', value: ({page}) => page, rank: 1},
    {name: 'id', header: 'ID', value: ({id}) => id, rank: 2},
    {name: 'url', short: 'link', header: 'ADDRESS', value: ({url}) => url, rank: 0},
  ],
}

// Opens a page that needs no server of svc's own, and returns it to be printed.
export async function openPage(
  page: OpenedPage,
  isOpening: boolean,
  notice: (text: string) => void,
): Promise<ItemResult<OpenedPage>> {
  if (isOpening) {
    const problem = await openLink(page.url)
    notice(problem ? `The page was not opened: ${problem}.` : 'The page was opened in the browser.')
  }
  return toPageResult(page)
}

export const toPageResult = (value: OpenedPage): ItemResult<OpenedPage> => ({
  kind: 'item',
  value,
  view: openedPageView,
  // A pipe gets the address alone, for `svc open … | pbcopy`.
  ...(process.stdout.isTTY ? {} : {render: ({url}: OpenedPage) => `${cleanText(url)}\n`}),
})

export interface FormTerminal {
  // False in a pipe and with --no-open: the link is only printed.
  isOpening: boolean
  notice: (text: string) => void
  show: (result: Result) => Promise<void>
}

// The same form at the address of the running sandbox server.
const toSandboxLink = ({formsUrl}: SandboxForms, link: string) =>
  formsUrl + (URL.parse(link)?.pathname.replace(/^\/forms(?=\/)/, '') ?? '')

const unservedNotice =
  'The sandbox does not serve its forms now, so the link leads nowhere: `svc sandbox start` serves them at an address of this machine, and this command at a terminal.'

interface OpenedForm {
  address: string
  // Ends the server, if the form is one of the sandbox and no other server serves it.
  stop?: (() => Promise<unknown>) | undefined
}

export async function openForm(
  caller: Caller,
  link: string,
  {isOpening, isServing, notice}: Pick<FormTerminal, 'isOpening' | 'notice'> & {isServing: boolean},
): Promise<OpenedForm> {
  const forms = await findSandboxForms(caller, isServing ? {notice} : undefined)
  const address = forms ? toSandboxLink(forms, link) : link
  if (isOpening) {
    const problem = await openLink(address)
    notice(problem ? `The link was not opened: ${problem}.` : 'The link was opened in the browser.')
  }
  return {address, stop: forms?.stop}
}

// A form of the sandbox is served until Ctrl-C if no server is running. Returns the result that is still to be printed.
export async function openHostedForm(
  caller: Caller,
  link: string,
  toResult: (link: string) => Result,
  {isOpening, notice, show}: FormTerminal,
): Promise<Result> {
  const {address, stop} = await openForm(caller, link, {isOpening, isServing: isOpening, notice})
  if (!stop) {
    if (isUnservedLink(address)) notice(unservedNotice)
    return toResult(address)
  }
  const stopped = waitForStopSignal()
  await show(toResult(address))
  notice('The sandbox server is not running, so svc serves the form itself. Press Ctrl-C to stop.')
  await stopped
  await stop()
  return undefined
}
