// Requests a quote.
import * as Flags from '@oclif/core/flags'
import type {z} from 'zod'
import {createNameAdder, readPayeeIds} from '../../accounts/name-columns.ts'
import {SvcCommand} from '../../cli/command.ts'
import {getExitCodes} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import {isAllowedField, rejectUnlessAccepted, toDryRunResult} from '../../cli/body/reject-problems.ts'
import {validateQuote, readQuoteBody, calculateQuoteEndMs} from '../../quotes/quote-body.ts'
import type {Problem} from '../../contract/problems.ts'
import type {quoteCreate} from '../../contract/quotes.ts'
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
import {listAccounts} from '../../accounts/find-account.ts'
import {completeRoute, createOpenChoiceError, lacksDetails} from '../../quotes/complete-route.ts'
import {isDetailPath, omitDetailFlags} from '../../quotes/route-fields.ts'
import {checkRouteFlags, needsLookup, resolveRoute} from '../../quotes/resolve-route.ts'
import {createQuoteView} from '../../quotes/view.ts'
import {quoteForShell} from '../../values/text.ts'

const zoe = '--customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '--from 64fbd491-4b09-49d5-b40c-8b27facb31a9 --from-currency USDC'
const bank = '--to e6086267-7e5a-4a91-b136-a94b38bbbfb8'
const route = `${zoe} ${wallet} ${bank}`

const request = {method: 'POST', path: '/quotes'}

interface QuoteOptions {
  'allow-unknown-fields': boolean
  'dry-run': boolean
}

export default class QuotesCreate extends SvcCommand {
  static override view = createQuoteView()
  static override exits = getExitCodes('usage', 'refused')
  static override summary = 'Request a quote for a payment'
  static override description =
    'A quote is valid for five minutes and moves no money; `svc transactions create --quote ID` makes the payment. The amount is what is paid; the quote says what arrives, which cannot be asked for (`svc pay --receive` finds the amount). In a terminal, svc asks for what is missing.'
  static override examples = [
    {
      description: 'Quote a payment from a wallet to a bank account',
      command: `svc quotes create ${route} --amount 100`,
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
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(QuotesCreate)
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
    if (isDry && !needsLookup(flags, this.finder())) return toDryRunResult({...request, body: unresolved})
    const caller = await this.writer(flags['dry-run'] ? undefined : request)
    // A quote moves no money.
    const given = await resolveRoute(this.finder(caller), unresolved, {...flags, isConfirmedLater: true}, '')
    if (isDry) return toDryRunResult({...request, body: given})
    if (needsWizard) return this.#runWizard(caller, given, flags)
    if (isComplete) return this.#createQuote(caller, given, flags)
    return this.#completeRoute(caller, given, flags)
  }

  // Currencies and methods that are not given follow from the accounts. Where these leave a choice, a person is asked.
  async #completeRoute(caller: Caller, given: Body, flags: QuoteOptions): Promise<Result> {
    const accounts = await listAccounts(await this.client(caller), toText(given['customerId']))
    const {body, choices} = completeRoute(accounts, given, '')
    if (choices.length === 0) {
      return flags['dry-run'] ? toDryRunResult({...request, body}) : this.#createQuote(caller, body, flags)
    }
    if (!this.isInteractive) throw createOpenChoiceError(choices)
    return this.#runWizard(caller, body, flags, true)
  }

  // --timeout limits the service, not the person who answers, so the wizard's client has none.
  async #runWizard(caller: Caller, given: Body, flags: QuoteOptions, isRouteOnly = false): Promise<Result> {
    const {runQuoteWizard} = await import('../../quotes/wizard/quote-wizard.ts')
    const withoutQuestions = isRouteOnly ? ['guaranteeQuote'] : []
    const client = await this.client(caller, {timeoutMs: undefined})
    return runQuoteWizard(client, given, {withoutQuestions}, async (body) => {
      if (flags['dry-run']) return toDryRunResult({...request, body})
      return this.#createQuote(caller, body, flags)
    })
  }

  async #createQuote(caller: Caller, body: Body, options: QuoteOptions): Promise<Result> {
    const client = await this.client(caller, {allowsUnknownFields: options['allow-unknown-fields']})
    const requestedMs = Date.now()
    const quote = await this.write(caller, request, {}, () =>
      client.quotes.create({body: body as z.input<typeof quoteCreate>}),
    )
    const lifeMs = calculateQuoteEndMs(quote.expiresAt, requestedMs, Date.now()) - Date.now()
    const addNames = createNameAdder(this.nameSource(caller))
    const view = addNames(createQuoteView({body, lifeMs}), () => readPayeeIds(body))
    return this.showWithNotes(itemResult(quote, view), [
      `To pay at this price: \`svc transactions create --quote ${quoteForShell(toText(quote.quoteId))}\``,
    ])
  }
}
