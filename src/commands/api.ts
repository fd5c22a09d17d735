// Sends any request to the service, with the same credential, gate and exit codes as every other command.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {limits} from '../contract/limits.ts'
import {badUsage, getExitCodes} from '../errors.ts'
import {type Body, parsePair, applyUntypedAssignment} from '../cli/body/assignments.ts'
import {readDataFile} from '../cli/body/input-file.ts'
import {itemResult} from '../cli/output/result.ts'

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

// Only svc sets these: the credential, the framing of the request, and headers that would change its method.
const reservedHeaders = new Set([
  'authorization',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
])

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
    {description: 'Read the body from standard input', command: 'svc api POST /quotes -f - < quote.json'},
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
    method: Args.string({description: methods.join(', '), required: true}),
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
    const method = args.method.toUpperCase()
    if (!methods.includes(method)) throw badUsage(`"${args.method}" is not a method`, `Use ${methods.join(', ')}`)
    // Two slashes would start a host name.
    if (!/^\/(?![/\\])/.test(args.path)) {
      throw badUsage(
        `The path "${args.path}" does not start with a single /`,
        'Give a path below the base URL, such as /customers',
      )
    }
    const request = {
      method,
      path: args.path + toQueryString(args.path, flags.query ?? []),
      headers: parseHeaders(flags.header ?? []),
      body: await buildBody(method, flags.file, flags.set ?? []),
    }
    const caller = await this.caller()
    await this.authorizeWrite(caller, request, flags.yes)
    const client = await this.client(caller)
    const {body} = await client.raw(request)
    return body === undefined ? undefined : itemResult(body as object)
  }
}

function toQueryString(path: string, pairs: readonly string[]): string {
  if (pairs.length === 0) return ''
  return `${path.includes('?') ? '&' : '?'}${new URLSearchParams(pairs.map((pair) => parsePair(pair, '--query'))).toString()}`
}

function parseHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\x20-\x7e]*)$/.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw badUsage('A --header is not of the form "name: value"', 'Nothing was sent')
      if (reservedHeaders.has(name.toLowerCase())) throw badUsage(`The header ${name} is set by svc`, 'Leave it out')
      return [name.toLowerCase(), value]
    }),
  )
}

async function buildBody(
  method: string,
  file: string | undefined,
  assignments: readonly string[],
): Promise<string | undefined> {
  if (file === undefined && assignments.length === 0) return undefined
  if (method === 'GET') throw badUsage('A GET has no body', 'Use --query, or another method')
  const data = file === undefined ? {} : await readDataFile(file)
  if (assignments.length > 0) {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      throw badUsage('--set needs a body that is an object', 'Leave --set out, or give an object in the file')
    }
    for (const assignment of assignments) applyUntypedAssignment(data as Body, assignment)
  }
  const text = JSON.stringify(data)
  if (Buffer.byteLength(text) > limits.requestBytesMax)
    throw badUsage('The body is larger than 100 MB', 'Send less at once')
  return text
}
