// Finds the transaction of a payment by its key.
import {isUuidPrefix} from '../cli/ids/finder.ts'
import {isUuid} from '../contract/ids.ts'
import {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {getJournalAddress} from '../profiles/journal.ts'
import {getServiceId} from '../transport.ts'
import {svc} from '../values/text.ts'
import {listEntries} from './entries.ts'

// People know a payment by its key, so commands for transactions take it too. Any other text is
// returned as it is.
export async function resolveTransactionKey(
  text: string | undefined,
  findCaller: () => Promise<Caller>,
): Promise<string | undefined> {
  if (text === undefined || text.trim() === '' || isUuid(text) || isUuidPrefix(text)) return text
  const caller = await findCaller()
  const service = {serviceId: await getServiceId(caller), journal: getJournalAddress(caller)}
  const [entry] = await listEntries({...service, keys: [text]})
  if (!entry || entry.transactionId !== undefined) return entry?.transactionId ?? text
  throw new SvcError({
    error: 'NO_TRANSACTION',
    kind: 'notFound',
    message: `The payment ${text} has no transaction: it is ${entry.state}`,
    hint: `${svc`journal show ${text}`} shows why`,
  })
}
