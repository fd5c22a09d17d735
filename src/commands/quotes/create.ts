// Prices a route from one payment account to another and, if asked to, waits for a person's decision on it.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {toContent} from '../../payments/payment-content.ts'
import {payQuote} from '../../payments/pay-quote.ts'
import {buildAlerts, toKnownTransaction} from '../../payments/notices.ts'
import {type PaymentContextSettings, withPaymentContext} from '../../payments/open-context.ts'
import type {Caller} from '../../profiles/caller.ts'
import {toDryRunResult} from '../../cli/body/dry-run.ts'
import {validateQuote, readQuoteBody, calculateQuoteEndMs} from '../../quotes/quote-body.ts'
import {rejectProblems} from '../../cli/body/reject-problems.ts'
import {deriveIdempotencyKey} from '../../transactions/idempotency-key.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {amountFlag, bodyFlags, developerFeeFlags, routeFlags} from '../../cli/flags/body-flags.ts'
import {parseUuid} from '../../cli/flags/shared.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {createQuoteView} from '../../quotes/view.ts'
import {transactionView} from '../../transactions/view.ts'
import {getServiceId} from '../../transport.ts'

const zoe = '--customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '--from 64fbd491-4b09-49d5-b40c-8b27facb31a9 --from-currency USDC --from-method SOLANA'
const bank = '--to e6086267-7e5a-4a91-b136-a94b38bbbfb8 --to-currency USD --to-method ACH'
const route = `${zoe} ${wallet} ${bank}`

const request = {method: 'POST', path: '/quotes'}

interface Wishes {
  wait: boolean
  'dry-run': boolean
  timeout?: number | undefined
  // Whether a person was asked for what was missing.
  isAsked?: boolean
}

export default class QuotesCreate extends SvcCommand {
  static override view = createQuoteView()
  static override exits = getExitCodes('usage', 'refused', 'unknownOutcome', 'pending', 'limit')
  static override summary = 'Request a quote for a payment'
  static override description =
    'A quote is valid for five minutes and moves no money; `svc transactions create --quote ID` makes the payment. In a terminal, svc asks for what is missing. With --wait, it shows the price and waits for a key: y creates the transaction, any other key cancels.'
  static override examples = [
    {
      description: 'Quote a payment from a wallet to a bank account',
      command: `svc quotes create ${route} --amount 100`,
    },
    {
      description: 'Show the price, then decide',
      command: `svc quotes create ${route} --amount 100 --wait`,
    },
    {
      description: 'Read the accounts from a file and set the amount',
      command: `svc quotes create -f route.yaml --amount 250.75 --json | jq -r .quoteId`,
    },
  ]
  static override flags = {
    customer: Flags.string({
      summary: 'Customer who pays',
      helpValue: 'ID',
      parse: async (text) => parseUuid(text, '--customer'),
    }),
    ...routeFlags,
    amount: amountFlag('Amount to pay, in the source currency'),
    ...developerFeeFlags,
    guarantee: Flags.boolean({summary: 'Request a guaranteed amount'}),
    ...bodyFlags,
    wait: Flags.boolean({summary: 'Show the price and wait for your decision (terminal only)'}),
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(QuotesCreate)
    if (flags.wait && !this.isInteractive) throw nobodyToDecide()
    const given = await readQuoteBody(flags)
    const {missing, wrong, problems} = validateQuote(given)
    // Whoever sits at a terminal is asked for what the flags did not say.
    const isAsked = this.isInteractive && missing.length > 0
    if (wrong.length === 0 && !isAsked) this.requireAll(missing)
    rejectProblems(isAsked ? wrong : problems, given)
    if (flags['dry-run'] && !isAsked) return toDryRunResult({...request, body: given})
    const caller = await this.caller()
    if (!flags['dry-run']) await this.authorizeWrite(caller, request, false)
    return isAsked ? this.#asked(caller, given, flags) : this.#priced(caller, given, flags)
  }

  // A person may take longer than --timeout gives the service.
  async #asked(caller: Caller, given: Body, flags: Wishes): Promise<Result> {
    const {runQuoteWizard: quoteByConversation} = await import('../../quotes/wizard/quote-wizard.ts')
    const client = await this.client(caller, {timeoutMs: undefined})
    return quoteByConversation(client, given, {command: 'quotes create'}, async (body) => {
      if (flags['dry-run']) return toDryRunResult({...request, body})
      return this.#priced(caller, body, {...flags, isAsked: true})
    })
  }

  async #priced(caller: Caller, body: Body, {wait, timeout, isAsked}: Wishes): Promise<Result> {
    const client = await this.client(caller)
    const askedMs = Date.now()
    const quote = await client.quotes.create({body: body as never})
    const endMs = calculateQuoteEndMs(quote.expiresAt, askedMs, Date.now())
    const priced = itemResult(quote, createQuoteView({body, lifeMs: endMs - Date.now()}))
    if (!wait && !isAsked) return priced
    await this.show(priced)
    if (!wait) return this.#toPay(quote.quoteId, 'To pay at this price')
    const {confirmBefore: isWantedBefore} = await import('../../cli/prompts/countdown-confirm.ts')
    const untilMs = Math.min(endMs, askedMs + (timeout ?? Number.POSITIVE_INFINITY))
    if (await isWantedBefore(untilMs, questionFor(caller))) return this.#made(caller, body, quote)
    return this.#toPay(quote.quoteId, 'No transaction was made. While the quote lives')
  }

  #toPay(quoteId: string, words: string): undefined {
    this.notice(`${words}: svc transactions create --quote ${quoteId}`)
  }

  async #made(caller: Caller, body: Body, quote: {quoteId: string}): Promise<Result> {
    // The person has just confirmed it, and payQuote checks the profile's limits.
    await this.authorizeWrite(caller, {method: 'POST', path: '/transactions', checksLimits: true}, true)
    const derivedKey = deriveIdempotencyKey(caller.baseUrl, quote.quoteId)
    this.notice(`The idempotency key is ${derivedKey}.`)
    const connect: PaymentContextSettings['connect'] = (onReply) => this.client(caller, {onReply})
    return withPaymentContext({...caller, connect, timeoutMs: this.flags.timeout}, async (context) => {
      const content = toContent(body as never)
      const order = {serviceId: await getServiceId(caller), quoteId: quote.quoteId, derivedKey, content, quote}
      const paid = await payQuote(context, order)
      for (const alert of buildAlerts(paid)) this.alert(alert)
      const {payment, transaction = toKnownTransaction(payment)} = paid
      return this.finishWrite(itemResult(transaction, transactionView))
    })
  }
}

const nobodyToDecide = () =>
  badUsage(
    '--wait needs a person at a terminal to decide',
    'Leave it out, and use `svc transactions create --quote ID` with the id that is printed; nothing was sent',
  )

// It is also the question that live asks before money moves, so there it names the address.
const questionFor = ({environment, baseUrl, label}: Caller) =>
  `Make this transaction${environment === 'live' ? ` on ${baseUrl} (${label}, live)` : ''}?`
