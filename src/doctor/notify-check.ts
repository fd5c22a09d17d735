// Checks the notify command of a profile: whether notifications wait that it did not accept.
import fs from 'node:fs'
import {getRecipient} from '../notifications/notifier.ts'
import {getOutboxFile, openOutbox} from '../notifications/outbox.ts'
import {getJournalAddress} from '../profiles/journal.ts'
import {requireCaller} from './local-checks.ts'
import {type CheckContext, type CheckResult, ok, warning} from './run-checks.ts'

const countNotifications = (count: number) => (count === 1 ? '1 notification waits' : `${count} notifications wait`)

// Nothing is run: the command tells people, and a check is nothing to tell them.
export function checkNotify(context: CheckContext): CheckResult | undefined {
  const caller = requireCaller(context)
  const file = getOutboxFile(getJournalAddress(caller))
  const command = caller.notify?.command
  if (!fs.existsSync(file)) return command === undefined ? undefined : ok('the command was not needed yet')
  const outbox = openOutbox(file)
  try {
    const {waiting, failure, attempts = 0} = outbox.describe(getRecipient(caller))
    if (failure !== undefined) {
      const tries = attempts === 1 ? '' : ` (tried ${attempts} times)`
      return warning(
        `The notify command ${failure}${tries}; ${countNotifications(waiting)}`,
        'Run it by hand with a line of JSON on standard input; the next payment or payout run tries again',
      )
    }
    if (command === undefined && waiting === 0) return undefined
    return ok(waiting === 0 ? 'everything was delivered' : `${countNotifications(waiting)} for the next run`)
  } finally {
    outbox.close()
  }
}
