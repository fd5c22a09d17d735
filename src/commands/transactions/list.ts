// Lists transactions.
import {SvcCommand} from '../../cli/command.ts'
import type {Client} from '../../client/client.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import type {Caller} from '../../profiles/caller.ts'
import {listEnumValues} from '../../contract/enum-values.ts'
import {filterFlags, buildFilter} from '../../cli/output/filters.ts'
import {customerFlag, namesFlags, pagingFlags, organizationFlag} from '../../cli/flags/shared.ts'
import {readPayeeIds, withPartyNames} from '../../accounts/name-columns.ts'
import {accountFlag, resolveScope} from '../../transactions/find-transaction.ts'
import {transactionView} from '../../transactions/view.ts'

const filters = {
  status: {field: 'transactionStatus', values: listEnumValues('Transaction', 'transactionStatus')},
  since: {field: 'createdAt'},
  search: {
    names: 'amounts, references or ids, or at a terminal in the names of payees',
    fields: [
      'transactionId',
      'correlationId',
      'quoteId',
      'source.sourceAmount',
      'source.sourceReferenceId',
      'destination.destinationAmount',
      'destination.destinationPaymentAccountId',
      'destination.destinationReferenceId',
    ],
  },
}

export default class TransactionsList extends SvcCommand {
  static override view = transactionView
  static override summary = 'List transactions'
  static override description =
    'The service filters by customer, account and organization. It cannot filter by status, time or text: svc reads as many pages as needed and filters them itself.'
  static override examples = [
    {description: 'List the first page of transactions', command: 'svc transactions list'},
    {
      description: 'List what failed or expired since 1 November',
      command: 'svc transactions list --status FAILED,EXPIRED --since 2026-11-01 --all',
    },
  ]
  static override flags = {
    ...pagingFlags,
    ...filterFlags(filters),
    customer: customerFlag('Only transactions of this customer'),
    account: accountFlag('Only transactions from or to this payment account'),
    organization: organizationFlag('Only transactions of this organization'),
    ...namesFlags,
  }

  async run() {
    const {flags} = await this.parse(TransactionsList)
    const finder = this.finder()
    const scope = await resolveScope(finder, flags)
    const caller = await this.caller()
    const client = await finder.connect()
    const query = {...scope, organizationId: flags.organization ?? caller.organization}
    const view = this.#addNames(caller, flags['no-names'])
    const {fetchPage, filter} = await this.#search(client.transactions.list, caller, flags)
    return this.list(fetchPage, query, flags, 'transactions', view, filter)
  }

  // At a terminal, where payees are shown by their names, the names are searched too: they are read with each page.
  async #search(
    fetchPage: Client['transactions']['list'],
    caller: Caller,
    flags: Parameters<typeof buildFilter>[1] & {'no-names': boolean},
  ) {
    const filter = buildFilter(filters, flags)
    if (!filter || flags.search === undefined) return {fetchPage, filter}
    if (flags['no-names'] || !this.isOnScreen) {
      return {fetchPage, filter: {...filter, notSearched: 'names of payees are searched only where they are shown'}}
    }
    const {Parties} = await import('../../accounts/parties.ts')
    const names = new Parties(this.nameSource(caller).connect)
    const readMore = (item: LooseTransaction) => {
      const {customerId, accountId} = readPayeeIds(item)
      return names.describeAccount(customerId, accountId)
    }
    return {
      fetchPage: async (query: Parameters<typeof fetchPage>[0]) => {
        const page = await fetchPage(query)
        await names.read(page.transactions.map(({customerId}) => customerId))
        return page
      },
      filter: buildFilter({...filters, search: {...filters.search, readMore}}, flags),
    }
  }

  // Payees are named for people at a terminal, or if they are asked for, since their names take a read for each customer.
  #addNames(caller: Caller, isWithout: boolean): typeof transactionView {
    if (isWithout) return transactionView
    const source = this.nameSource(caller)
    return withPartyNames(transactionView, {...source, readPayee: readPayeeIds, hasPayees: this.showsPayees})
  }
}
