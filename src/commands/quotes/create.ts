// Requests a quote.
import * as Flags from '@oclif/core/flags'
import type {z} from 'zod'
import {createNameAdder, readPayeeIds} from '../../accounts/name-columns.ts'
import {getExitCodes} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import {validateQuote, readQuoteBody, calculateQuoteEndMs} from '../../quotes/quote-body.ts'
import type {quoteCreate} from '../../contract/quotes.ts'
import type {Body} from '../../values/body-paths.ts'
import {amountFlag, checkedBodyFlags, developerFeeFlags, routeFlags} from '../../cli/flags/body-flags.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {toText} from '../../cli/output/view.ts'
import {checkRouteFlags} from '../../quotes/resolve-route.ts'
import {RouteCommand} from '../../quotes/route-command.ts'
import {createQuoteView} from '../../quotes/view.ts'
import {svc} from '../../values/text.ts'

const zoe = '--customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '--from 64fbd491-4b09-49d5-b40c-8b27facb31a9 --from-currency USDC'
const bank = '--to e6086267-7e5a-4a91-b136-a94b38bbbfb8'
const route = `${zoe} ${wallet} ${bank}`

const request = {method: 'POST', path: '/quotes'}

export default class QuotesCreate extends RouteCommand {
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
    ...checkedBodyFlags,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(QuotesCreate)
    const body = await readQuoteBody(checkRouteFlags(flags, this.finder()))
    // A quote moves no money, so a match of a name is not confirmed by itself.
    return this.sendRoute(
      {...flags, isConfirmedLater: true},
      {
        write: request,
        prefix: '',
        body,
        ...validateQuote(body),
        // --timeout limits the service, not the person who answers, so the wizard's client has none.
        ask: async (caller, given, send, isRouteOnly) => {
          const {runQuoteWizard} = await import('../../quotes/wizard/quote-wizard.ts')
          const withoutQuestions = isRouteOnly ? ['guaranteeQuote'] : []
          return runQuoteWizard(await this.client(caller, {timeoutMs: undefined}), given, {withoutQuestions}, send)
        },
        send: (caller, whole) => this.#createQuote(caller, whole),
      },
    )
  }

  async #createQuote(caller: Caller, body: Body): Promise<Result> {
    const client = await this.client(caller)
    const requestedMs = Date.now()
    const quote = await this.write(caller, request, {}, () =>
      client.quotes.create({body: body as z.input<typeof quoteCreate>}),
    )
    const lifeMs = calculateQuoteEndMs(quote.expiresAt, requestedMs, Date.now()) - Date.now()
    const addNames = createNameAdder(this.nameSource(caller))
    const view = addNames(createQuoteView({body, lifeMs}), () => readPayeeIds(body))
    return this.showWithNotes(itemResult(quote, view), [
      `To pay at this price: ${svc`transactions create --quote ${toText(quote.quoteId)}`}`,
    ])
  }
}
