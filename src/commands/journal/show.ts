// Shows one payment of the journal with its history.
import * as Args from '@oclif/core/args'
import {createNameAdder, readPayeeIds} from '../../accounts/name-columns.ts'
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {namesFlags} from '../../cli/flags/shared.ts'
import type {FindableKind} from '../../cli/ids/findable.ts'
import {findMeant} from '../../cli/ids/finder.ts'
import {formatMinute, formatMoney, joinParts, toText} from '../../cli/output/view.ts'
import {type JournalEntry, findEntry, listEntries} from '../../payments/entries.ts'
import {journalView} from '../../payments/entry-view.ts'
import {getJournalAddress} from '../../profiles/journal.ts'
import {itemResult} from '../../cli/output/result.ts'
import {getServiceId} from '../../transport.ts'

// A person looks for one of the latest, and gives the key of an older one.
const paymentsOffered = 500

export default class JournalShow extends SvcCommand {
  static override view = journalView
  static override summary = 'Show a payment and its history'
  static override description =
    'Shows what was requested, sent and answered. In a pipe, nothing is sent. In a terminal, without a key, you choose from a list, and the names of the payee are read from the service, unless --no-names is given. Times are from this machine’s clock, except those of a quote or a transaction. Payments made by `svc transactions create` have the key quote:ID.'
  static override examples = [
    {description: 'Show a payment with its history', command: 'svc journal show rent-2026-11'},
    {
      description: 'Print the exact bytes that were sent',
      command: "svc journal show rent-2026-11 --jq '.attempts[-1].bytes'",
    },
  ]
  static override exits = getExitCodes('usage', 'unauthenticated', 'notFound')
  static override args = {
    key: Args.string({description: 'Key of the payment'}),
  }
  static override flags = {...namesFlags}

  async run() {
    const {args, flags} = await this.parse(JournalShow)
    if (args.key === undefined && !this.isInteractive) this.requireAll(['KEY'])
    const caller = await this.caller()
    const service = {serviceId: await getServiceId(caller), journal: getJournalAddress(caller)}
    const entry = await findEntry(service, args.key ?? (await this.#askForKey(service)))
    const isOnScreen = this.isOnScreen && !flags['no-names']
    const addNames = createNameAdder({...this.nameSource(caller), isOnScreen})
    return itemResult(entry, addNames(journalView, readPayeeIds))
  }

  // Lets a person choose a payment in a terminal. The newest come first.
  async #askForKey(service: Omit<Parameters<typeof listEntries>[0], 'newestCount'>): Promise<string> {
    const entries = await listEntries({...service, newestCount: paymentsOffered})
    const newestFirst = entries.toSorted((a, b) => toText(b.updatedAt).localeCompare(toText(a.updatedAt)))
    const reference = {what: 'The key', name: 'KEY', text: undefined}
    return (await findMeant(newestFirst, reference, paymentKind, this.finder()))?.key ?? ''
  }
}

const paymentKind: FindableKind<JournalEntry> = {
  singular: 'payment',
  plural: 'payments in the journal for this profile',
  getId: ({key}) => key,
  describe: ({key, state, source, updatedAt}) =>
    joinParts(key, formatMoney(source?.sourceAmount, source?.sourceCurrency), state, formatMinute(updatedAt)),
  outline: ({key, state}) => joinParts(key, state),
  getSearchText: ({transactionId, quoteId, customerId}) => joinParts(transactionId, quoteId, customerId),
}
