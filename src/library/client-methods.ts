// The functions of the client that programs import. Written from the contract by `npm run entities`.

import type {CustomerCreate, CustomerPatch, QuoteCreate, RuleCreate, RuleUpdate, TransactionCreate} from './bodies.ts'
import type {NextPage, PageQuery} from './client-types.ts'
import type {AutomationRule, Customer, PaymentAccount, Quote, Transaction} from './entities.ts'

/** Every endpoint of the service as a function. */
export interface Client {
  customers: {
    /** Create a customer. */
    create(body: CustomerCreate): Promise<Customer>
    /** List customers. */
    list(query?: CustomerFilter & PageQuery): Promise<{customers: Customer[]} & NextPage>
    /** Every item of the list, page after page. */
    all(filter?: CustomerFilter): AsyncIterableIterator<Customer>
    /** Submit or correct verification data. */
    update(customerId: string, body: CustomerPatch): Promise<Customer>
    /** Read a customer. */
    get(
      customerId: string,
      options?: {
        /** Adds availablePaymentMethods to the reply */
        includePaymentMethods?: boolean | undefined
      },
    ): Promise<Customer>
  }
  accounts: {
    /** List the payment accounts of a customer. */
    list(query: PaymentAccountFilter & PageQuery): Promise<{paymentAccounts: PaymentAccount[]} & NextPage>
    /** Every item of the list, page after page. */
    all(filter: PaymentAccountFilter): AsyncIterableIterator<PaymentAccount>
  }
  quotes: {
    /** Price a route. */
    create(body: QuoteCreate): Promise<Quote>
  }
  transactions: {
    /**
     * Create a transaction from a quote.
     * One whose outcome is unknown may be sent again with the same key, never with another one.
     */
    create(body: TransactionCreate, options: {idempotencyKey: string}): Promise<Transaction>
    /** List transactions. */
    list(query?: TransactionFilter & PageQuery): Promise<{transactions: Transaction[]} & NextPage>
    /** Every item of the list, page after page. */
    all(filter?: TransactionFilter): AsyncIterableIterator<Transaction>
  }
  rules: {
    /** Create an automation rule. */
    create(body: RuleCreate): Promise<AutomationRule>
    /** List automation rules. */
    list(query?: AutomationRuleFilter): Promise<{automationRules: AutomationRule[]}>
    /** Read an automation rule. */
    get(ruleId: string): Promise<AutomationRule>
    /**
     * Update an automation rule.
     * Replaces the whole rule.
     */
    update(ruleId: string, body: RuleUpdate): Promise<AutomationRule>
    /**
     * Delete an automation rule.
     * Returns the rule as it was.
     */
    delete(ruleId: string): Promise<AutomationRule>
  }
}

export interface CustomerFilter {
  organizationId?: string | undefined
}

export interface PaymentAccountFilter {
  customerId: string
}

export interface TransactionFilter {
  customerId?: string | undefined
  /** A UUID */
  paymentAccountId?: string | undefined
  organizationId?: string | undefined
}

export interface AutomationRuleFilter {
  customerId?: string | undefined
  sourcePaymentAccountId?: string | undefined
}
