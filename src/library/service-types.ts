// The entities of the interface, as the contract has them. For programs, which have no zod, the build writes them out in full,
// together with the bodies of requests and the values that the interface lists (scripts/library-types.ts).
import type {z} from 'zod'
import type {account} from '../contract/accounts.ts'
import type {customer} from '../contract/customers.ts'
import type {rule, ruleUpdate} from '../contract/rules.ts'
import type {transaction} from '../contract/transactions.ts'

export type Customer = z.output<typeof customer>
export type PaymentAccount = z.output<typeof account>
export type AutomationRule = z.output<typeof rule>
export type RuleUpdate = z.input<typeof ruleUpdate>
export type Transaction = z.output<typeof transaction>
