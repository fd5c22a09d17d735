// The client that programs import, as types.
import type {CustomerCreate, CustomerPatch, QuoteCreate, RuleCreate, RuleUpdate, TransactionCreate} from './bodies.ts'
import type {AutomationRule, Customer, PaymentAccount, Quote, Transaction} from './entities.ts'

export interface ClientOptions {
  /** The address of the service. The credential is sent to its origin and nowhere else. */
  baseUrl: string
  /**
   * An API key or a JWT, or a function that returns one. The function is called before every request; `wasRejected` is true
   * after the service has answered 401, and the same request is then sent once more.
   */
  credential: string | ((wasRejected: boolean) => string | Promise<string>)
  /** How long one request may take. 30 seconds if it is left out. */
  timeoutMs?: number | undefined
  /** Whether reads that fail for a moment are tried again, which is the default. Writes never are. */
  retries?: boolean | undefined
  /** Ends reads that are under way, and lets no further request start. */
  signal?: AbortSignal | undefined
  /** Called if a reply does not have what the interface says. The reply is returned all the same. */
  onWarning?: ((message: string) => void) | undefined
}

/** One page of a list. */
export interface PageQuery {
  pageSize?: number | undefined
  pageToken?: string | undefined
}

export interface CustomerFilter {
  organizationId?: string | undefined
}

export interface TransactionFilter {
  customerId?: string | undefined
  paymentAccountId?: string | undefined
  organizationId?: string | undefined
}

export interface RuleFilter {
  customerId?: string | undefined
  sourcePaymentAccountId?: string | undefined
}

interface NextPage {
  /** Absent, null or empty on the last page. */
  nextPageToken?: string | null | undefined
}

export interface Client {
  customers: {
    create(body: CustomerCreate): Promise<Customer>
    get(customerId: string, options?: {includePaymentMethods?: boolean | undefined}): Promise<Customer>
    /** Submits or corrects verification data. */
    update(customerId: string, body: CustomerPatch): Promise<Customer>
    list(query?: CustomerFilter & PageQuery): Promise<{customers: Customer[]} & NextPage>
    /** Every customer, page after page. */
    all(filter?: CustomerFilter): AsyncIterableIterator<Customer>
  }
  accounts: {
    list(query: {customerId: string} & PageQuery): Promise<{paymentAccounts: PaymentAccount[]} & NextPage>
    all(filter: {customerId: string}): AsyncIterableIterator<PaymentAccount>
  }
  quotes: {
    create(body: QuoteCreate): Promise<Quote>
  }
  transactions: {
    /** A transaction whose outcome is unknown may be sent again with the same key, never with another one. */
    create(body: TransactionCreate, options: {idempotencyKey: string}): Promise<Transaction>
    list(query?: TransactionFilter & PageQuery): Promise<{transactions: Transaction[]} & NextPage>
    all(filter?: TransactionFilter): AsyncIterableIterator<Transaction>
  }
  rules: {
    create(body: RuleCreate): Promise<AutomationRule>
    get(ruleId: string): Promise<AutomationRule>
    /** Replaces the whole rule. */
    update(ruleId: string, body: RuleUpdate): Promise<AutomationRule>
    /** Returns the rule as it was. */
    delete(ruleId: string): Promise<AutomationRule>
    list(filter?: RuleFilter): Promise<{automationRules: AutomationRule[]}>
  }
}
