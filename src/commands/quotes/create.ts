// Requests a quote and, with --wait, asks whether to pay it.
import * as Flags from '@oclif/core/flags'
import {createNameAdder, readPayeeIds} from '../../accounts/name-columns.ts'
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {toContent} from '../../payments/protocol/payment.ts'
import {deriveIdempotencyKey, payQuote} from '../../payments/protocol/pay-quote.ts'
import {
  buildAlerts,
  createReceiptView,
  describeNextStep,
  findBadEnding,
  toKnownTransaction,
} from '../../payments/run/notices.ts'
import {withPaymentContext} from '../../payments/run/open-context.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import {briefReads} from '../../customers/customer-names.ts'
import type {Caller} from '../../profiles/caller.ts'
import {isAllowedField, rejectUnlessAccepted, toDryRunResult} from '../../cli/body/reject-problems.ts'
import {validateQuote, readQuoteBody, calculateQuoteEndMs} from '../../quotes/quote-body.ts'
import type {Problem} from '../../contract/problems.ts'
import type {Body} from '../../values/body-paths.ts'
import {
  acceptWarningsFlag,
  allowUnknownFieldsFlag,
  amountFlag,
  bodyFlags,
  developerFeeFlags,
  routeFlags,
} from '../../cli/flags/body-flags.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {toText} from '../../cli/output/view.ts'
import {Directory, readParties} from '../../accounts/directory.ts'
import {showBox} from '../../cli/output/box.ts'
import {describeLivePlace, describePlace} from '../../profiles/write-gate.ts'
import {buildPriceBox} from '../../quotes/price-box.ts'
import {
  completeRoute,
  createOpenChoiceError,
  isDetailPath,
  lacksDetails,
  omitDetailFlags,
} from '../../quotes/complete-route.ts'
import {checkRouteFlags, needsLookup, resolveRoute} from '../../quotes/resolve-route.ts'
import {createQuoteView} from '../../quotes/view.ts'
import {readServiceState, readServiceTraits} from '../../transport.ts'
import {quoteForShell} from '../../values/text.ts'

const zoe = '--customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '--from 64fbd491-4b09-49d5-b40c-8b27facb31a9 --from-currency USDC'
const bank = '--to e6086267-7e5a-4a91-b136-a94b38bbbfb8'
const route = `${zoe} ${wallet} ${bank}`

const request = {method: 'POST', path: '/quotes'}

interface QuoteOptions {
  wait: boolean
  'allow-unknown-fields': boolean
  'dry-run': boolean
  timeout?: number | undefined
  // Whether the wizard asked for what was missing.
}

export default class QuotesCreate extends SvcCommand {
  static override view = createQuoteView()
  static override exits = getExitCodes('usage', 'refused', 'unknownOutcome', 'pending', 'limit', 'endedBadly')
  static override summary = 'Request a quote for a payment'
  static override description =
    'A quote is valid for five minutes and moves no money; `svc transactions create --quote ID` makes the payment. The amount is what is paid; the quote says what arrives, which cannot be asked for (`svc pay --receive` finds the amount). In a terminal, svc asks for what is missing. With --wait, it shows the price and waits for a key: y creates the transaction, any other key cancels.'
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
      command: `svc quotes create -f route.yaml --amount 250.75 --jq .quoteId`,
    },
  ]
  static override flags = {
    customer: customerFlag('Customer who pays'),
    ...routeFlags,
    amount: amountFlag('Amount to pay, in the source currency'),
    ...developerFeeFlags,
    guarantee: Flags.boolean({summary: 'Request a guaranteed amount'}),
    ...bodyFlags,
    'accept-warnings': acceptWarningsFlag,
    'allow-unknown-fields': allowUnknownFieldsFlag,
    wait: Flags.boolean({summary: 'Show the price and wait for your decision (terminal only)'}),
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(QuotesCreate)
    if (flags.wait && !this.isInteractive) throw waitNeedsTerminal()
    const unresolved = await readQuoteBody(checkRouteFlags(flags, this.finder()))
    const isRejected = (problem: Problem) => !(flags['allow-unknown-fields'] && isAllowedField(problem))
    const isDecidedLater = ({kind, path}: Problem) => kind === 'missing' && isDetailPath('', path)
    const validation = validateQuote(unresolved)
    const missing = omitDetailFlags(validation.missing)
    const wrong = validation.wrong.filter(isRejected)
    const problems = validation.problems.filter((problem) => isRejected(problem) && !isDecidedLater(problem))
    const needsWizard = this.isInteractive && missing.length > 0
    if (wrong.length === 0 && !needsWizard) this.requireAll(missing)
    await rejectUnlessAccepted(needsWizard ? wrong : problems, unresolved, this.warningPolicy(flags))
    const isComplete = !needsWizard && !lacksDetails(unresolved, '')
    const isDry = flags['dry-run'] && isComplete
    if (isDry && !needsLookup(unresolved, flags, '', this.finder()))
      return toDryRunResult({...request, body: unresolved})
    const caller = await this.writer()
    if (!flags['dry-run']) await this.authorizeWrite(caller, request, false)
    // A quote moves no money, and --wait asks before it does.
    const given = await resolveRoute(this.finder(caller), unresolved, {...flags, isConfirmedLater: true}, '')
    if (isDry) return toDryRunResult({...request, body: given})
    if (needsWizard) return this.#runWizard(caller, given, flags)
    if (isComplete) return this.#createQuote(caller, given, flags)
    return this.#completeRoute(caller, given, flags)
  }

  // Currencies and methods that are not given follow from the accounts. Where these leave a choice, a person is asked.
  async #completeRoute(caller: Caller, given: Body, flags: QuoteOptions): Promise<Result> {
    const accounts = await new Directory(await this.client(caller)).readAccounts(toText(given['customerId']))
    const {body, choices} = completeRoute(accounts, given, '')
    if (choices.length === 0) {
      return flags['dry-run'] ? toDryRunResult({...request, body}) : this.#createQuote(caller, body, flags)
    }
    if (!this.isInteractive) throw createOpenChoiceError(choices)
    return this.#runWizard(caller, body, flags, true)
  }

  // --timeout limits the service, not the person who answers, so the wizard's client has none.
  async #runWizard(caller: Caller, given: Body, flags: QuoteOptions, isRouteOnly = false): Promise<Result> {
    const {optionalPaths, runQuoteWizard} = await import('../../quotes/wizard/quote-wizard.ts')
    const withoutQuestions = isRouteOnly ? optionalPaths : []
    const client = await this.client(caller, {timeoutMs: undefined})
    const {listBalances} = await readServiceState(caller)
    const options = {command: 'quotes create', withoutQuestions, listBalances}
    return runQuoteWizard(client, given, options, async (body) => {
      if (flags['dry-run']) return toDryRunResult({...request, body})
      return this.#createQuote(caller, body, flags)
    })
  }

  async #createQuote(caller: Caller, body: Body, options: QuoteOptions): Promise<Result> {
    const {wait, timeout} = options
    const client = await this.client(caller, {allowsUnknownFields: options['allow-unknown-fields']})
    // Read before the quote, whose five minutes are the person's.
    const parties = wait ? await readParties(client, toText(body['customerId'])) : undefined
    const requestedMs = Date.now()
    const quote = await client.quotes.create({body: body as never})
    const endMs = calculateQuoteEndMs(quote.expiresAt, requestedMs, Date.now())
    const quoteId = toText(quote.quoteId)
    const addNames = this.#createNameAdder(caller)
    const view = addNames(createQuoteView({body, lifeMs: endMs - Date.now()}), () => readPayeeIds(body))
    const result = itemResult(quote, view)
    if (!parties) return this.showWithNotes(result, [describePayCommand(quoteId, 'To pay at this price')])
    const title = {title: `Pay ${describePlace(caller)}`, isLive: caller.environment === 'live'}
    await showBox(buildPriceBox(title, parties, {body, quote, lifeMs: endMs - Date.now()}))
    const {confirmBefore} = await import('../../cli/prompts/countdown-confirm.ts')
    const untilMs = Math.min(endMs, requestedMs + (timeout ?? Number.POSITIVE_INFINITY))
    if (await confirmBefore(untilMs, toQuestion(caller))) return this.#pay(caller, body, quoteId, quote)
    this.notice(describePayCommand(quoteId, 'No transaction was created. While the quote is valid'))
    return undefined
  }

  async #pay(caller: Caller, body: Body, quoteId: string, quote: LooseQuote): Promise<Result> {
    // The person has just confirmed it, and payQuote checks the profile's limits.
    await this.authorizeWrite(caller, {method: 'POST', path: '/transactions', checksLimits: true}, true)
    const derivedKey = deriveIdempotencyKey(caller.service, quoteId)
    this.notice(`The idempotency key is ${derivedKey}.`)
    const connect = this.connector(caller)
    const traits = await readServiceTraits(caller)
    return withPaymentContext({controls: caller, traits, connect, timeoutMs: this.flags.timeout}, async (context) => {
      const content = toContent(body)
      const order = {serviceId: traits.serviceId, quoteId, derivedKey, content, quote}
      const paid = await payQuote(context, order)
      for (const alert of buildAlerts(paid)) this.alert(alert)
      const {payment, transaction = toKnownTransaction(payment)} = paid
      const view = createReceiptView(payment, this.#createNameAdder(caller), body['guaranteeQuote'] === true)
      const result = itemResult(transaction, view, findBadEnding(paid))
      return this.showWithNotes(this.finishWrite(result), describeNextStep(result))
    })
  }

  #createNameAdder = (caller: Caller) =>
    createNameAdder({
      isOnScreen: this.isOnScreen,
      connect: () => this.client(caller, briefReads),
      notice: (text) => this.notice(text),
    })
}

const waitNeedsTerminal = () =>
  badUsage(
    '--wait needs a terminal to ask for your decision',
    'Leave it out, and run `svc transactions create --quote ID` with the printed id; nothing was sent',
  )

// This question also serves as the live confirmation, so there it names the address.
const describePayCommand = (quoteId: string, intro: string) =>
  `${intro}: svc transactions create --quote ${quoteForShell(quoteId)}`

const toQuestion = (caller: Caller) => `Pay this${describeLivePlace(caller)}?`
