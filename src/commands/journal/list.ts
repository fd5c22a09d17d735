// Lists the payments of the profile's service in the journal, newest first.
import * as Flags from '@oclif/core/flags'
import {createNameAdder, readPayeeIds} from '../../accounts/name-columns.ts'
import {SvcCommand} from '../../cli/command.ts'
import {namesFlags, pagingFlags} from '../../cli/flags/shared.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {journalView} from '../../payments/entry-view.ts'
import {openForReading} from '../../payments/journal/walk.ts'
import {readEntryPage} from '../../payments/entries.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import {type PaymentState, paymentStates} from '../../payments/protocol/payment.ts'
import type {Caller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'
import {buildFilter, filterFlags, periodFlags, offerValues} from '../../cli/output/filters.ts'
import type {ListResult} from '../../cli/output/result.ts'
import {getServiceId} from '../../transport.ts'

const filters = {
  search: {
    names: 'key, note, amounts or ids',
    fields: [
      'key',
      'note',
      'source.sourceAmount',
      'receive',
      'transactionId',
      'quoteId',
      'destination.destinationPaymentAccountId',
    ],
  },
}

const isPaymentState = (text: string): text is PaymentState => paymentStates.some((state) => state === text)

function parseStates(text: string): PaymentState[] {
  return text.split(',').map((part) => {
    const state = part.trim().toUpperCase()
    if (isPaymentState(state)) return state
    throw badUsage(`There is no state "${state}"`, `The states are ${paymentStates.join(', ')}`)
  })
}

async function* closeAfterwards(pages: ListResult['pages'], journal: Journal | undefined): ListResult['pages'] {
  try {
    yield* pages
  } finally {
    await journal?.close()
  }
}

export default class JournalList extends SvcCommand {
  static override view = journalView
  static override summary = 'List the payments in the journal, newest first'
  static override description =
    'A key belongs to one service (for the sandbox, to one database), so only the payments of the profile’s service are listed. In a pipe, and in every format but a table, nothing is sent. In a terminal, the names of payees are read from the service: --no-names, or --columns without payee, reads nothing.'
  static override examples = [
    {description: 'List the latest payments of the profile', command: 'svc journal list'},
    {
      description: 'List payments whose outcome is unknown',
      command: 'svc journal list --state UNKNOWN,ARMED',
    },
  ]
  static override exits = getExitCodes('usage', 'unauthenticated')
  static override flags = {
    state: offerValues(
      Flags.custom<PaymentState[]>({
        summary: `Filter by state; separate several with commas: ${paymentStates.join(', ')}`,
        helpValue: 'STATE',
        parse: async (text) => parseStates(text),
      })(),
      paymentStates,
    ),
    ...periodFlags('payments requested'),
    ...filterFlags(filters),
    all: pagingFlags.all,
    limit: pagingFlags.limit,
    'page-token': pagingFlags['page-token'],
    ...namesFlags,
  }

  async run() {
    const {flags} = await this.parse(JournalList)
    const caller = await this.caller()
    const filter = {
      serviceId: await getServiceId(caller),
      states: flags.state,
      sinceMs: flags.since,
      untilMs: flags.until,
    }
    const view = this.#addNames(caller, flags['no-names'])
    const journal = await openForReading({journal: getJournalAddress(caller)})
    const readPage = (paging: object) => readEntryPage(journal, filter, paging)
    const list = this.list(readPage, {}, flags, 'payments', view, buildFilter(filters, flags))
    return {...list, pages: closeAfterwards(list.pages, journal)}
  }

  // Only for a person at a terminal, or if the column is asked for: a script gets what the journal has, and nothing is sent.
  #addNames(caller: Caller, isNameless: boolean): typeof journalView {
    const isOnScreen = !isNameless && this.showsPayees
    return createNameAdder({...this.nameSource(caller), isOnScreen})(journalView, readPayeeIds)
  }
}
