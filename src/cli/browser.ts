// Opens links, pages and hosted forms in the user's browser, and says why if that failed. Whoever has the address of a form or of a
// page of svc can use it, and other users see the arguments of a browser. So the browser is given a private file that leads there.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {pathToFileURL} from 'node:url'
import type {Caller} from '../profiles/caller.ts'
import {fileMode, folderMode} from '../storage/private-file.ts'
import {findSandboxForms} from '../transport.ts'
import {listSecretVariables} from '../values/environment.ts'
import {renderLeadingPage} from '../web/page.ts'
import {runAfterOutput, waitForStopSignal} from './exit.ts'
import type {Result} from './output/result.ts'
import {describeUnservedLink, isUnservedLink} from './output/view.ts'

// A launcher that has not failed by then has passed the link on, or is the browser itself.
const launchMs = 1500
// A browser that was started has read the file by then.
const readMs = 3_000

// Other protocols may start another program, so they are never opened.
const protocols = new Set(['http:', 'https:'])

const hasDisplay = ({DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME}: NodeJS.ProcessEnv) =>
  process.platform === 'darwin' ||
  process.platform === 'win32' ||
  Boolean(DISPLAY ?? WAYLAND_DISPLAY ?? WSL_DISTRO_NAME)

// Returns why the link was not opened, as the second half of a sentence, or undefined if it was opened. The file that leads there is
// removed when `isUsed` resolves or, without it, when the command has printed everything and the browser had time to read it.
export async function openLink(link: string, isUsed?: Promise<unknown>): Promise<string | undefined> {
  const url = URL.parse(link)
  if (!url || !protocols.has(url.protocol)) return 'it is not an http or https address'
  if (!hasDisplay(process.env)) return 'there is no display here'
  let folder: string
  try {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-open-'))
  } catch {
    return 'the page that leads there could not be written'
  }
  const remove = () => fs.rmSync(folder, {recursive: true, force: true})
  process.once('exit', remove)
  fs.chmodSync(folder, folderMode)
  const file = path.join(folder, 'page.html')
  fs.writeFileSync(file, renderLeadingPage(url.href), {mode: fileMode, flag: 'wx'})
  const problem = await launchBrowser(file)
  if (problem !== undefined) remove()
  else if (isUsed) void isUsed.finally(remove)
  else {
    const removed = sleep(readMs).then(remove)
    runAfterOutput(() => removed)
  }
  return problem
}

// The browser needs no secret of svc. On Linux it inherits the environment, so that `env` removes them by their names; on a Mac the
// system starts it.
function getLauncher(): {app?: {name: string; arguments: string[]}} {
  if (process.platform !== 'linux' || process.env['WSL_DISTRO_NAME']) return {}
  const removed = listSecretVariables(process.env).flatMap((name) => ['-u', name])
  return {app: {name: 'env', arguments: [...removed, 'xdg-open']}}
}

async function launchBrowser(file: string): Promise<string | undefined> {
  const {default: open} = await import('open')
  try {
    // A browser of Windows needs another path, which only a plain path is turned into.
    const launcher = await open(process.env['WSL_DISTRO_NAME'] ? file : pathToFileURL(file).href, getLauncher())
    return await new Promise((resolve) => {
      const timer = setTimeout(resolve, launchMs, undefined)
      launcher.once('close', (code) => {
        clearTimeout(timer)
        resolve(code ? `the browser could not be started (code ${code})` : undefined)
      })
    })
  } catch {
    return 'no program to open it with was found'
  }
}

interface FormTerminal {
  // False in a pipe and with --no-open: the link is only printed.
  isOpening: boolean
  notice: (text: string) => void
}

// Opens a link that is printed as well.
export async function openPrinted(link: string, {isOpening, notice}: FormTerminal): Promise<void> {
  if (!isOpening) return
  const problem = await openLink(link)
  notice(problem ? `The link was not opened: ${problem}.` : 'The link was opened in the browser.')
}

// A form of the sandbox has the address of its server, which `stop` ends if no other server serves it.
export async function openForm(
  caller: Caller,
  link: string,
  {isServing, ...terminal}: FormTerminal & {isServing: boolean},
): Promise<{address: string; stop?: (() => Promise<unknown>) | undefined}> {
  const forms = await findSandboxForms(caller, isServing ? {notice: terminal.notice} : undefined)
  const address = forms ? forms.formsUrl + (URL.parse(link)?.pathname.replace(/^\/forms(?=\/)/, '') ?? '') : link
  await openPrinted(address, terminal)
  return {address, stop: forms?.stop}
}

// A form of the sandbox is served until Ctrl-C if no server is running. Returns the result that is still to be printed.
export async function openHostedForm(
  caller: Caller,
  link: string,
  toResult: (link: string) => Result,
  {isOpening, notice, show}: FormTerminal & {show: (result: Result) => Promise<void>},
): Promise<Result> {
  const {address, stop} = await openForm(caller, link, {isOpening, isServing: isOpening, notice})
  if (!stop) {
    if (isUnservedLink(address)) notice(describeUnservedLink('`svc sandbox start`'))
    return toResult(address)
  }
  const stopped = waitForStopSignal()
  await show(toResult(address))
  notice('The sandbox server is not running, so svc serves the form itself. Press Ctrl-C to stop.')
  await stopped
  await stop()
  return undefined
}
