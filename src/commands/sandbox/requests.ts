// Shows the requests that the sandbox received and its replies, with personal data masked.
import {setTimeout as sleep} from 'node:timers/promises'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {controlFlags} from '../../cli/flags/control.ts'
import {badUsage} from '../../errors.ts'
import type {CallOperation} from '../../sandbox/operations/operations.ts'
import type {RequestFilter} from '../../sandbox/service/log/controls.ts'
import {createPainter} from '../../cli/output/colour.ts'
import {sortFlags, wholeNumberParser} from '../../cli/flags/shared.ts'
import {listResult, type Result} from '../../cli/output/result.ts'
import {writeOut} from '../../cli/output/streams.ts'
import {renderRequestLine, requestView} from '../../sandbox/views/requests-and-faults.ts'
import {openControl} from '../../sandbox-control.ts'

const requestsDefault = 20
const followPauseMs = 200

// Yields the latest requests, and then new ones without end.
async function* followRequests(call: CallOperation, limit: number, filter: RequestFilter) {
  let {newest, requests} = await call('requests', {limit, ...filter})
  for (;;) {
    if (requests.length > 0) yield {items: requests, envelope: {requests}}
    await sleep(followPauseMs)
    ;({newest, requests} = await call('requests', {after: newest, ...filter}))
  }
}

export default class SandboxRequests extends SvcCommand {
  static override view = requestView
  static override summary = 'Show the requests the sandbox received'
  static override description =
    'Keeps the last 10,000 requests of all processes that used the sandbox, with their replies. Credentials are not stored, and personal data is masked.'
  static override examples = [
    {description: 'Show the last 20 requests', command: 'svc sandbox requests'},
    {
      description: 'Print rejected writes with their replies',
      command: 'svc sandbox requests --method POST --status 400 -o jsonl',
    },
    {description: 'Print new requests until Ctrl-C', command: 'svc sandbox requests --follow'},
  ]
  static override flags = {
    limit: Flags.custom<number>({
      summary: `Number of requests to show (${requestsDefault})`,
      env: 'SVC_LIMIT',
      helpValue: 'N',
      parse: wholeNumberParser(0, Number.MAX_SAFE_INTEGER),
    })(),
    follow: Flags.boolean({summary: 'Keep printing new requests', env: 'SVC_FOLLOW'}),
    method: Flags.string({summary: 'Only this HTTP method'}),
    path: Flags.string({summary: 'Only this path; {name} matches one segment, * matches anything'}),
    status: Flags.custom<number>({
      summary: 'Only this HTTP status; 0 means no answer',
      parse: wholeNumberParser(0, 599),
    })(),
    sort: {...sortFlags.sort, exclusive: ['follow']},
    ...controlFlags,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(SandboxRequests)
    const {limit = requestsDefault, follow, method, path, status} = flags
    if (follow && (this.format === 'json' || this.format === 'yaml')) {
      throw badUsage(`--follow never ends, and ${this.format} is one whole`, 'Use -o jsonl or -o csv')
    }
    const {call} = await openControl(flags)
    const filter = {method, path, status}
    if (!follow) return listResult((await call('requests', {limit, ...filter})).requests, 'requests', requestView)
    const pages = followRequests(call, limit, filter)
    if (this.format === 'table') return this.#writeLines(pages)
    return {kind: 'list', key: 'requests', view: requestView, pages}
  }

  async #writeLines(pages: ReturnType<typeof followRequests>): Promise<undefined> {
    const painter = await createPainter(process.stdout)
    for await (const {items} of pages) await writeOut(items.map((item) => renderRequestLine(item, painter)).join(''))
  }
}
