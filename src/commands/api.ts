// Sends any request to the service, with the credential, checks and exit codes of every other command.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {isWrite} from '../values/urls.ts'
import {badUsage, getExitCodes} from '../errors.ts'
import {describePlace} from '../profiles/write-gate.ts'
import {buildRawRequest, rawMethods, sendRawRequest} from '../cli/body/raw-request.ts'
import {itemResult} from '../cli/output/result.ts'

export default class Api extends SvcCommand {
  static override summary = 'Send any request to the service'
  static override description =
    'Calls an endpoint that has no command of its own. PATH is relative to the base URL and may include a query string. The body comes from --file, from --set, or both; --set overrides fields of the file.'
  static override examples = [
    {
      description: 'Get a page of customers, exactly as the service sends it',
      command: "svc api GET '/customers?pageSize=5' -p sandbox",
    },
    {
      description: 'Create a customer',
      command: 'svc api POST /customers --set customerType=INDIVIDUAL --set email=ada@example.com -p sandbox',
    },
  ]
  static override exits = getExitCodes(
    'usage',
    'refused',
    'unauthenticated',
    'notFound',
    'unreachable',
    'unknownOutcome',
  )
  static override args = {
    method: Args.string({description: rawMethods.join(', '), required: true}),
    path: Args.string({description: 'Path below the base URL, such as /customers', required: true}),
  }
  static override flags = {
    query: Flags.string({
      summary: 'Add a query parameter: name=value',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=VALUE',
    }),
    set: Flags.string({
      summary: 'Set a field of the body: path=text, or path:=JSON',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'PATH=VALUE',
    }),
    file: Flags.string({
      char: 'f',
      summary: 'Read the body from a file, JSON or YAML (- for standard input)',
      helpValue: 'FILE',
    }),
    header: Flags.string({
      char: 'H',
      summary: 'Add a request header, such as "x-idempotency-key: abc"',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME: VALUE',
    }),
    yes: Flags.boolean({summary: 'Skip confirmation, also on a live profile'}),
  }

  async run() {
    const {args, flags} = await this.parse(Api)
    if (this.format === 'csv') throw badUsage('api has no columns, so it cannot write CSV', 'Use json, jsonl or yaml')
    const request = await buildRawRequest({...args, ...flags})
    const isRead = !isWrite(request.method)
    const caller = isRead ? await this.caller() : await this.writer()
    const ask = {question: `Send ${request.method} ${request.path} ${describePlace(caller)}?`}
    const send = async () => sendRawRequest(await this.client(caller), request)
    const body = isRead ? await send() : await this.write(caller, request, {yes: flags.yes, ask}, send)
    return body === undefined ? undefined : itemResult(body as object)
  }
}
