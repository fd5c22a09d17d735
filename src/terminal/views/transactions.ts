// Transactions, as a table and as a record.
import {sandboxTransactionView} from './sandbox-money.ts'

export const transactionView = sandboxTransactionView
