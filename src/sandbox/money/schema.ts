// The tables of payment accounts, the ledger, quotes and transactions.
import type {Tables} from '../store/schema.ts'

export const moneyTables: Tables = {
  names: [],
  sql: '',
}
