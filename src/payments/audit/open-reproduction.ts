// Finds a payment of the journal, and opens the sandbox and the journal in which it is made again: in memory, or in new files.
import fs from 'node:fs'
import {SvcError, badUsage} from '../../errors.ts'
import {inMemory} from '../../storage/sqlite.ts'
import {createSandbox} from '../../transport.ts'
import {isDatabase} from '../../storage/journal-address.ts'
import {quoteForShell} from '../../values/text.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {joinFormerIds} from '../journal/former-ids.ts'
import {openJournal} from '../journal/open-journal.ts'
import {hasJournalFile} from '../journal/sqlite/file.ts'
import {isContentKnown} from '../protocol/payment-content.ts'
import {type Reproduction, reproduce} from './reproduction.ts'
import type {OriginalPayment, ReproducedStep} from './script.ts'
import {minuteMs} from '../../values/time.ts'

const createNotFoundError = (key: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The journal has no payment ${key}`,
    hint: '`svc journal list` shows what it has',
  })

// The user's journal is only read.
export async function readOriginal(traits: ServiceTraits, key: string): Promise<OriginalPayment> {
  const {serviceId, identity, journal: address} = traits
  if (!isDatabase(address) && !hasJournalFile(address.text)) throw createNotFoundError(key)
  const journal = joinFormerIds(await openJournal(address, {isOnlyRead: true}), serviceId, identity.formerIds)
  try {
    const payment = await journal.find(serviceId, key)
    if (!payment) throw createNotFoundError(key)
    if (!isContentKnown(payment.content)) {
      throw badUsage(
        `The journal does not know what the payment ${key} pays, so it cannot be made again`,
        'Its quote was made elsewhere, and no transaction of it was seen',
      )
    }
    return {payment, history: await journal.history(payment.serviceId, key)}
  } finally {
    await journal.close()
  }
}

// The journal of a reproduction lies beside its sandbox.
const getJournalFile = (file: string) => `${file}.journal`

export interface ReproductionSettings {
  // A new file for the sandbox. Without it, nothing is left.
  file?: string | undefined
  onStep?: ((step: ReproducedStep, total: number) => Promise<void>) | undefined
}

export async function reproduceInSandbox(
  original: OriginalPayment,
  {file, onStep}: ReproductionSettings,
): Promise<Reproduction> {
  if (file !== undefined && (fs.existsSync(file) || fs.existsSync(getJournalFile(file)))) {
    throw badUsage(`${file} exists already`, `Name a new file, or remove it with \`rm ${quoteForShell(file)}\``)
  }
  const [first] = original.history
  const {serverAheadMs = 0} = original.payment.attempts[0] ?? {}
  const sandbox = await createSandbox({
    file: file ?? inMemory,
    seed: 'reproduce',
    // A minute before the payment, so that its customer and accounts exist when it begins.
    frozenAt: new Date((first?.at ?? 0) + Math.min(0, serverAheadMs) - minuteMs),
  })
  try {
    const text = file === undefined ? inMemory : getJournalFile(file)
    return await reproduce(original, {sandbox, onStep, openJournal: (now) => openJournal({text}, {now})})
  } finally {
    sandbox.close()
  }
}
