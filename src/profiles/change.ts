// What `svc profiles set` makes of a profile. Nothing is stored here.
import * as Args from '@oclif/core/args'
import {badUsage} from '../errors.ts'
import {isDatabase, parseJournalAddress} from '../storage/journal-address.ts'
import {type Profile, getServiceName, sandboxAddress} from './profiles.ts'

// Of the commands that change one profile.
export const profileArgs = {name: Args.string({description: 'Name of the profile', required: true})}

// An amount with its currency, as people write it: 1000 USDC, or USDC=1000.
const amountFirst = /^(?<amount>\d{1,30}(?:\.\d{1,30})?)\s*(?<currency>[a-z][a-z\d]{1,15})$/i
const currencyFirst = /^(?<currency>[a-z][a-z\d]{1,15})(?:\s*=\s*|\s+)(?<amount>\d{1,30}(?:\.\d{1,30})?)$/i

function parseMoney(text: string): {amount: string; currency: string} | undefined {
  const {amount, currency} = (amountFirst.exec(text.trim()) ?? currencyFirst.exec(text.trim()))?.groups ?? {}
  return amount === undefined || currency === undefined ? undefined : {amount, currency: currency.toUpperCase()}
}

// Amounts by currency, from the values of a flag.
export function parseSums(texts: readonly string[], flag: string): Record<string, string> | undefined {
  if (texts.length === 0) return undefined
  return Object.fromEntries(
    texts.map((text) => {
      const money = parseMoney(text)
      if (money) return [money.currency, money.amount]
      throw badUsage(
        `${flag} "${text}" is not an amount and a currency`,
        'Write USDC=1000 or "1000 USDC"; nothing was changed',
      )
    }),
  )
}

type Limits = NonNullable<Profile['limits']>

// Caps and destinations are added to those before.
export function changeLimits(before: Limits = {}, {paymentMax, dayMax, destinations}: Limits): Limits | undefined {
  const limits = {...before}
  if (paymentMax) limits.paymentMax = {...limits.paymentMax, ...paymentMax}
  if (dayMax) limits.dayMax = {...limits.dayMax, ...dayMax}
  if (destinations) limits.destinations = [...new Set([...(limits.destinations ?? []), ...destinations])]
  return Object.keys(limits).length > 0 ? limits : undefined
}

// An empty address is that of this machine. It may contain no password.
export function changeJournal(
  before: Profile['journal'],
  journal: string | undefined,
  command: string | undefined,
): Profile['journal'] {
  if (journal === undefined && command === undefined) return before
  const address = journal === undefined ? before?.address : journal && parseJournalAddress(journal, '--journal')
  const passwordCommand = (command ?? (journal === undefined ? before?.passwordCommand : '')) || undefined
  if (passwordCommand && !(address && isDatabase({text: address}))) {
    throw badUsage(
      '--journal-password-command is for a journal in a database, and the profile has none',
      'Give --journal postgres://… with it; nothing was changed',
    )
  }
  return address ? {address, passwordCommand} : undefined
}

// An empty command tells nobody any more.
export function changeNotify(
  before: Profile['notify'],
  command = before?.command,
  afterMs?: number,
): Profile['notify'] {
  if (command) return {command, afterMs: afterMs ?? before?.afterMs}
  if (afterMs === undefined) return undefined
  throw badUsage(
    '--notify-after is for a profile with a notify command, and this one has none',
    'Give --notify COMMAND with it; nothing was changed',
  )
}

// A new address is that of the same service, so its name stays.
export function changeService(before: Profile, baseUrl: string | undefined, service: string | undefined) {
  if (baseUrl === undefined && service === undefined) return {}
  if (before.baseUrl === sandboxAddress) {
    throw badUsage(
      'The embedded sandbox has an address and an identity of its own',
      'Leave out --base-url and --service, or name another profile; nothing was changed',
    )
  }
  return {baseUrl: baseUrl ?? before.baseUrl, service: service ?? getServiceName(before)}
}
