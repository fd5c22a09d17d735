// Builds and sends the request of `svc api` from its arguments and flags.
import type {Client} from '../../client/client.ts'
import type {ServiceRequest} from '../../client/connection.ts'
import {ReplyError, describeCheck} from '../../client/failures.ts'
import {getIdField} from '../../contract/ids.ts'
import {limits, megabyte} from '../../contract/vocabulary.ts'
import {SvcError, badUsage} from '../../errors.ts'
import {applyAssignment, convertUntyped, parsePair} from './assignments.ts'
import {readDataFile} from './input-file.ts'
import {isPresent, isRecord} from '../../values/records.ts'
import {decodePath} from '../../values/urls.ts'

export interface RawRequestInput {
  method: string
  path: string
  query?: readonly string[] | undefined
  header?: readonly string[] | undefined
  file?: string | undefined
  set?: readonly string[] | undefined
}

export const rawMethods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

// Headers that only svc sets: the credential, the framing of the request, and anything that would change its method.
const reservedHeader =
  /^(authorization|host|content-length|transfer-encoding|connection|x-(http-)?method(-override)?)$/i

// Two slashes would start a host name.
const absolutePath = /^\/(?![/\\])/
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\x20-\x7e]*)$/

export async function buildRawRequest(input: RawRequestInput) {
  const method = input.method.toUpperCase()
  if (!rawMethods.includes(method)) throw badUsage(`"${input.method}" is not a method`, `Use ${rawMethods.join(', ')}`)
  if (!absolutePath.test(input.path)) {
    throw badUsage(
      `The path "${input.path}" does not start with a single /`,
      'Give a path below the base URL, such as /customers',
    )
  }
  return {
    method,
    path: addQuery(input.path, input.query ?? []),
    headers: parseHeaders(input.header ?? []),
    body: await buildJsonBody(method, input.file, input.set ?? []),
  }
}

// Returns the body of the reply. The body of a refusal is shown with the error, since it says more than its sentence.
export async function sendRawRequest(client: Client, request: ServiceRequest): Promise<unknown> {
  try {
    const {body} = await client.raw(request)
    rejectWithoutId(request, body)
    return body
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error
    throw error.with({cause: error, body: error.readBody()})
  }
}

// What moves money answers with an id. Without it nobody knows what was made.
const idFields: ReadonlyArray<readonly [request: RegExp, idField: string]> = [
  [/^POST \S*\/transactions\b[^/]*\/*$/, getIdField('transactions.create')],
  [/^(POST|PUT) \S*\/automation-rules\b/, getIdField('rules.create')],
]

function rejectWithoutId({method, path}: ServiceRequest, body: unknown): void {
  const idField = idFields.find(([line]) => line.test(`${method} ${decodePath(path)}`))?.[1]
  if (idField === undefined || (isRecord(body) && isPresent(body[idField]))) return
  throw new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `${method} ${path} may or may not have happened: the service answered without ${idField}`,
    hint: describeCheck({method, path}),
    body,
  })
}

function addQuery(path: string, pairs: readonly string[]): string {
  if (pairs.length === 0) return path
  const query = new URLSearchParams(pairs.map((pair) => parsePair(pair, '--query')))
  return `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`
}

function parseHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = headerLine.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw badUsage('A --header is not of the form "name: value"', 'Nothing was sent')
      if (reservedHeader.test(name)) throw badUsage(`The header ${name} is set by svc`, 'Leave it out')
      return [name.toLowerCase(), value]
    }),
  )
}

async function buildJsonBody(
  method: string,
  file: string | undefined,
  assignments: readonly string[],
): Promise<string | undefined> {
  if (file === undefined && assignments.length === 0) return undefined
  if (method === 'GET') throw badUsage('A GET request has no body', 'Use --query, or another method')
  const data = file === undefined ? {} : await readDataFile(file)
  if (assignments.length > 0) {
    if (!isRecord(data)) {
      throw badUsage('--set needs a body that is an object', 'Leave out --set, or give an object in the file')
    }
    for (const assignment of assignments) applyAssignment(data, assignment, convertUntyped)
  }
  const text = JSON.stringify(data)
  if (Buffer.byteLength(text) > limits.requestBytesMax)
    throw badUsage(`The body is larger than ${limits.requestBytesMax / megabyte} MB`, 'Send less')
  return text
}
