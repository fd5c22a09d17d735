// Flags of the form path=value, and the body or query they build.
import {parseJson} from '../../validation/exact-json.ts'
import {badUsage} from '../../errors.ts'

export type Body = Record<string, unknown>

const namedValues: Record<string, unknown> = {true: true, false: false, null: null}

// Names with dots between them; a place in a list is a number, after a dot or in brackets.
const step = /[^.[\]]+/g
const wholePath = /^[^.[\]]+(\.[^.[\]]+|\[\d+\])*$/
const listIndex = /^\d+$/
// A list is filled from its beginning, so nobody means the ten-thousandth place of one.
const listIndexMax = 1000

type Container = Record<string, unknown>

// `path=value` is what `read` makes of the text; `path:=value` is JSON.
export function applyAssignment(body: Body, assignment: string, read: (text: string) => unknown): void {
  const [, path, typed, text] = /^([^=:]+)(:?)=([\s\S]*)$/.exec(assignment) ?? []
  if (path === undefined || text === undefined) {
    // What stands there may be someone's data, so only a path is repeated.
    throw badUsage('A --set is not of the form path=value', 'Write --set a.b=text, or --set a.b:=JSON')
  }
  const keys: readonly string[] = path.match(step) ?? []
  if (
    !wholePath.test(path) ||
    keys.includes('__proto__') ||
    keys.some((key) => listIndex.test(key) && Number(key) > listIndexMax)
  ) {
    throw badUsage(
      `--set "${path}" is not a path`,
      'Write names with dots between them, such as kycData.address.city or kycData.documents[0].type',
    )
  }
  let holder: Container = body
  for (const [index, key] of keys.slice(0, -1).entries()) {
    const fresh = listIndex.test(keys[index + 1] ?? '') ? [] : {}
    const inner = Object.hasOwn(holder, key) ? holder[key] : (holder[key] = fresh)
    if (typeof inner !== 'object' || inner === null) {
      throw badUsage(`--set "${path}" goes through ${key}, which is not an object`, 'Check the path')
    }
    holder = inner as Container
  }
  holder[keys.at(-1) ?? ''] = typed ? parseJsonValue(text, path) : read(text)
}

// Without a contract to decide, a value is text, except true, false and null. Amounts stay strings that way.
export function applyUntypedAssignment(body: Body, assignment: string): void {
  applyAssignment(body, assignment, (text) => (Object.hasOwn(namedValues, text) ? namedValues[text] : text))
}

function parseJsonValue(text: string, path: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw badUsage(`--set ${path}:= is not followed by valid JSON`, 'Use = for plain text', cause)
  }
}

export function parsePair(assignment: string, flag: string): [string, string] {
  const at = assignment.indexOf('=')
  if (at < 1) throw badUsage(`${flag} "${assignment}" is not of the form name=value`, `Write ${flag} pageSize=20`)
  return [assignment.slice(0, at), assignment.slice(at + 1)]
}
