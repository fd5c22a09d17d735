// Opens a hosted form in the browser. A form of the sandbox is served until Ctrl-C if no server is running.
import type {Caller} from '../profiles/caller.ts'
import {type SandboxForms, findSandboxForms} from '../transport.ts'
import {openLink} from './browser.ts'
import type {Result} from './output/result.ts'
import {waitForStopSignal} from './stop-signal.ts'

export interface FormTerminal {
  // False in a pipe and with --print: the link is only printed.
  isOpening: boolean
  notice: (text: string) => void
  show: (result: Result) => Promise<void>
}

// The same form at the address of the running sandbox server.
const toSandboxLink = ({formsUrl}: SandboxForms, link: string) =>
  formsUrl + (URL.parse(link)?.pathname.replace(/^\/forms(?=\/)/, '') ?? '')

// Returns the result that is still to be printed.
export async function openHostedForm(
  caller: Caller,
  link: string,
  toResult: (link: string) => Result,
  {isOpening, notice, show}: FormTerminal,
): Promise<Result> {
  const forms = await findSandboxForms(caller, isOpening ? {notice} : undefined)
  const address = forms ? toSandboxLink(forms, link) : link
  if (isOpening) {
    const problem = await openLink(address)
    notice(problem ? `The link was not opened: ${problem}.` : 'The link was opened in the browser.')
  }
  if (!forms?.stop) return toResult(address)
  const stopped = waitForStopSignal()
  await show(toResult(address))
  notice('The sandbox server is not running, so svc serves the form itself. Press Ctrl-C to stop.')
  await stopped
  await forms.stop()
  return undefined
}
