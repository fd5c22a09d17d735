// What `svc profiles set` makes of a profile. Nothing is stored here.
import {badUsage} from '../errors.ts'
import {isDatabase, parseJournalAddress} from '../storage/journal-address.ts'
import {parseMoney} from '../values/money.ts'
import {type Profile, getServiceName, sandboxAddress} from './profiles.ts'

export interface ProfileChange {
  paymentMax?: Record<string, string> | undefined
  dayMax?: Record<string, string> | undefined
  // Payment accounts to add to the allowed destinations.
  allow?: readonly string[] | undefined
  // Remove all caps and destinations first.
  clearLimits?: boolean | undefined
  resend?: Profile['resend']
  listLagMaxMs?: number | undefined
  readOnly?: boolean | undefined
  duplicateWindow?: string | undefined
  // As parseBaseUrl and parseServiceId return them.
  baseUrl?: string | undefined
  service?: string | undefined
  // Empty for the journal of this machine.
  journal?: string | undefined
  journalPasswordCommand?: string | undefined
  // Empty to tell nobody any more.
  notify?: string | undefined
  notifyAfterMs?: number | undefined
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

function changeLimits(before: Profile, {paymentMax, dayMax, allow, clearLimits}: ProfileChange): Profile['limits'] {
  const limits = {...(clearLimits ? undefined : before.limits)}
  if (paymentMax) limits.paymentMax = {...limits.paymentMax, ...paymentMax}
  if (dayMax) limits.dayMax = {...limits.dayMax, ...dayMax}
  if (allow) limits.destinations = [...new Set([...(limits.destinations ?? []), ...allow])]
  return Object.keys(limits).length > 0 ? limits : undefined
}

// The address may contain no password.
function changeJournal(
  {journal: before}: Profile,
  {journal, journalPasswordCommand}: ProfileChange,
): Profile['journal'] {
  if (journal === undefined && journalPasswordCommand === undefined) return before
  const address = journal === undefined ? before?.address : journal && parseJournalAddress(journal, '--journal')
  const passwordCommand =
    (journalPasswordCommand ?? (journal === undefined ? before?.passwordCommand : '')) || undefined
  if (passwordCommand && !(address && isDatabase({text: address}))) {
    throw badUsage(
      '--journal-password-command is for a journal in a database, and the profile has none',
      'Give --journal postgres://… with it; nothing was changed',
    )
  }
  return address ? {address, passwordCommand} : undefined
}

function changeNotify({notify: before}: Profile, {notify, notifyAfterMs}: ProfileChange): Profile['notify'] {
  const command = notify ?? before?.command
  if (command) return {command, afterMs: notifyAfterMs ?? before?.afterMs}
  if (notifyAfterMs === undefined) return undefined
  throw badUsage(
    '--notify-after is for a profile with a notify command, and this one has none',
    'Give --notify COMMAND with it; nothing was changed',
  )
}

// A new address is that of the same service, so its name stays.
function changeService(before: Profile, {baseUrl, service}: ProfileChange): Partial<Profile> {
  if (baseUrl === undefined && service === undefined) return {}
  if (before.baseUrl === sandboxAddress) {
    throw badUsage(
      'The embedded sandbox has an address and an identity of its own',
      'Leave out --base-url and --service, or name another profile; nothing was changed',
    )
  }
  const isMoved = baseUrl !== undefined && baseUrl !== before.baseUrl
  return {
    baseUrl: baseUrl ?? before.baseUrl,
    service: service ?? getServiceName(before),
    customerReadPath: isMoved ? undefined : before.customerReadPath,
  }
}

export const changeProfile = (before: Profile, change: ProfileChange): Profile => ({
  ...before,
  ...changeService(before, change),
  limits: changeLimits(before, change),
  resend: change.resend ?? before.resend,
  listLagMaxMs: change.listLagMaxMs ?? before.listLagMaxMs,
  readOnly: (change.readOnly ?? before.readOnly) || undefined,
  duplicateWindow: change.duplicateWindow ?? before.duplicateWindow,
  journal: changeJournal(before, change),
  notify: changeNotify(before, change),
})
