// What a ledger declares before its entries: every account with the day on which it is first used, and every currency.
import type {Books} from './books.ts'
import {toDay} from './format-figures.ts'
import {type AccountNames, nameAccount} from './ledger-names.ts'
import {createPostings} from './postings.ts'

interface DeclaredAccount {
  name: string
  firstDay: string
  paymentAccountId?: string | undefined
}

export interface Declarations {
  accounts: DeclaredAccount[]
  currencies: string[]
}

const compareText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

// Reads the books once. There are far fewer accounts than payments.
export function collectDeclarations(books: Books, names: AccountNames): Declarations {
  const accounts = new Map<string, DeclaredAccount>()
  const currencies = new Set<string>()
  for (const payment of books.walkCompleted()) {
    const firstDay = toDay(payment.completedAt)
    for (const posting of createPostings(payment)) {
      const name = nameAccount(posting, names)
      currencies.add(posting.currency)
      if (!accounts.has(name)) accounts.set(name, {name, firstDay, paymentAccountId: posting.accountId})
    }
  }
  return {
    accounts: [...accounts.values()].toSorted((one, other) => compareText(one.name, other.name)),
    currencies: [...currencies].toSorted(compareText),
  }
}
