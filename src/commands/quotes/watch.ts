// Watches the rate of a route, by requesting a quote again and again.
import {SvcCommand} from '../../cli/command.ts'
import {amountFlag, bodyFlags, developerFeeFlags, routeFlags} from '../../cli/flags/body-flags.ts'
import {customerFlag, figureFlags} from '../../cli/flags/shared.ts'
import {rejectProblems} from '../../cli/body/reject-problems.ts'
import {getExitCodes} from '../../errors.ts'
import {readRouteToQuote, toRateFigure} from '../../quotes/watched-rate.ts'

const route =
  '--customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --from 64fbd491-4b09-49d5-b40c-8b27facb31a9 --from-currency USDC --to e6086267-7e5a-4a91-b136-a94b38bbbfb8'

const request = {method: 'POST', path: '/quotes'}

export default class QuotesWatch extends SvcCommand {
  static override summary = 'Watch the rate of a route, with an alert'
  static override description = `Requests a quote every --interval, which moves no money. In a terminal, a live line shows the rate with a small chart, until Ctrl-C. Elsewhere each change is a line, with --json (or -o jsonl) a line of JSON. Ends with code 12 if the rate was below --alert-below.`
  static override examples = [
    {description: 'Watch a rate', command: `svc quotes watch ${route} --amount 100`},
    {
      description: 'From cron: be told when a rate is too low',
      command: `svc quotes watch -f route.yaml --alert-below 0.995 --once --quiet`,
    },
    {
      description: 'Log each change for an hour',
      command: `svc quotes watch -f route.yaml --interval 1m --timeout 1h --json >> rates.jsonl`,
    },
  ]
  static override exits = getExitCodes('done', 'usage', 'refused', 'unreachable', 'finding')
  static override flags = {
    customer: customerFlag('Customer who pays'),
    ...routeFlags,
    amount: amountFlag('Amount to quote, in the source currency'),
    ...developerFeeFlags,
    file: bodyFlags.file,
    set: bodyFlags.set,
    'alert-below': amountFlag('End with code 12 if the rate was below this', 'RATE'),
    ...figureFlags,
  }

  async run() {
    const {flags} = await this.parse(QuotesWatch)
    const {unresolved, missing, problems, resolve} = await readRouteToQuote(flags, this.finder())
    if (problems.length === 0) this.requireAll(missing)
    rejectProblems(problems, unresolved)
    const caller = await this.writer()
    await this.authorizeWrite(caller, request, false)
    const client = await this.client(caller, flags.once ? {} : {timeoutMs: undefined})
    const {body, unit} = await resolve(this.finder(caller), client)
    const target = {
      name: 'rate',
      unit,
      alertBelow: flags['alert-below'],
      read: async () => toRateFigure(await client.quotes.create({body: body as never}), body),
    }
    return this.watchFigure(target, flags)
  }
}
