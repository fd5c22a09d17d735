// Answers the questions about a route in the seeded sandbox, and reads the request that a wizard shows.
import {stripVTControlCharacters} from 'node:util'
import {answer, choose, keys} from './wizard-keys.ts'
import {type Home, json, run} from './svc.ts'
import {type Screen, onTerminal} from './terminal.ts'

export const sandbox = ['-p', 'sandbox']
export const customerQuestion = 'Which customer?'

export const startWizard = (home: Home, ...args: readonly string[]) => onTerminal(home, [...args, ...sandbox])

const chooseZoe = (screen: Screen) => choose(screen, customerQuestion, 'ngstr', 'Zoë Ångström')

// From the customer's wallet to its SEPA bank account.
export async function answerRoute(screen: Screen): Promise<void> {
  await chooseZoe(screen)
  await answer(screen, 'From which payment account?')
  await answer(screen, 'Currency that leaves')
  await choose(screen, 'To which payment account?', keys.down.repeat(2), 'Zoë Ångström · Nordhafen')
}

interface ShownRequest {
  method: string
  path: string
  body: unknown
}

// The request that --dry-run printed at the end.
export function readShownRequest(screen: Screen): ShownRequest {
  const text = screen.text()
  return json(text.slice(text.lastIndexOf('{\n  "method"'))) as unknown as ShownRequest
}

export async function buildRequestFromFlags(home: Home, args: readonly string[]): Promise<ShownRequest> {
  const {out} = await run(home, [...args, ...sandbox, '--dry-run'])
  return json(out) as unknown as ShownRequest
}

// Every line that was on the screen at some time, because a prompt overwrites the one before it.
// oxlint-disable-next-line no-control-regex -- what moves the cursor begins with one.
const movesOn = /[\r\n]|\u001b\[\d*[A-HJK]/

export const listScreenLines = (screen: Screen) => screen.raw().split(movesOn).map(stripVTControlCharacters)
