// The commands that the start page offers next, most urgent first.
import type {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import type {Attention, NextCommand} from './status.ts'

const commandsMax = 6

const reasons: Readonly<Record<Attention['kind'], string>> = {
  unknownPayments: 'see which payments must be settled, before anything is paid again',
  failedPayments: 'see why they failed; run the same command or file again to continue',
  corrections: 'correct what verification refused',
  drafts: 'go on where you left; nothing that was typed is lost',
  shortRules: 'see what the rule will move, and when',
  failedTransactions: 'see what became of the money',
}

const firstSteps: readonly NextCommand[] = [
  {command: 'svc tour', why: 'see what svc does, in two minutes'},
  {command: 'svc customers list -p sandbox', why: 'look around in the sandbox, which needs no account and no network'},
  {command: 'svc profiles use sandbox', why: 'use the sandbox from now on'},
  {command: 'svc login', why: 'connect to the service'},
  {command: 'svc help', why: 'list all commands'},
]

const everyday: readonly NextCommand[] = [
  {command: 'svc customers list', why: 'customers and their verification'},
  {command: 'svc transactions list', why: 'where the money is'},
  {command: 'svc pay', why: 'pay someone; it asks for what is missing'},
  {command: 'svc console', why: 'look at all of it in the browser'},
]

const withoutPay = everyday.filter(({command}) => command !== 'svc pay')

const help: NextCommand = {command: 'svc help', why: 'list all commands'}

function listRepairs(failure: SvcError | undefined, login: string): NextCommand[] {
  if (!failure) return []
  if (failure.kind === 'unauthenticated') return [{command: login, why: 'log in again'}]
  return [{command: 'svc doctor', why: 'find out what is wrong between here and the service'}]
}

// A profile that was named for this command has to be named for the next one too.
export function addProfile(command: string, caller: Caller): string {
  if (caller.chosenBy !== '--profile' || /^svc help\b| -p /.test(command)) return command
  return `${command} -p ${caller.profileName}`
}

export function listNextCommands(
  caller: Caller | undefined,
  attention: readonly Attention[],
  failure?: SvcError,
): NextCommand[] {
  if (!caller) return [...firstSteps]
  const urgent = attention.map(({kind, next}) => ({command: next, why: reasons[kind]}))
  const login = caller.profileName === undefined ? 'svc help environment' : `svc login -p ${caller.profileName}`
  // Nothing else works before the service can be asked.
  const usual = failure ? [] : caller.readOnly ? withoutPay : everyday
  return [...[...listRepairs(failure, login), ...urgent, ...usual].slice(0, commandsMax), help].map(
    ({command, why}) => ({command: addProfile(command, caller), why}),
  )
}
