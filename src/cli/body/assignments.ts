// Applies flags of the form path=value to a body or a query.
import {parseJson} from '../../values/json.ts'
import {badUsage} from '../../errors.ts'
import type {Body} from '../../values/body-paths.ts'
import {isContainer} from '../../values/records.ts'

// Names separated by dots. A list index is a number, after a dot or in brackets.
const step = /[^.[\]]+/g
const wholePath = /^[^.[\]]+(\.[^.[\]]+|\[\d+\])*$/
const listIndex = /^\d+$/
// Lists are short, so a higher index is a mistake that would create a huge list.
const listIndexMax = 1000

// `path=text` sets what `convert` makes of the text; `path:=value` sets JSON.
export function applyAssignment(body: Body, assignment: string, convert: (text: string) => unknown): void {
  const [, path, jsonMark, text] = /^([^=:]+)(:?)=([\s\S]*)$/.exec(assignment) ?? []
  if (path === undefined || text === undefined) {
    // The assignment may contain personal data, so it is not repeated.
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
  let container: Body = body
  for (const [index, key] of keys.slice(0, -1).entries()) {
    const empty = listIndex.test(keys[index + 1] ?? '') ? [] : {}
    const inner = Object.hasOwn(container, key) ? container[key] : (container[key] = empty)
    if (!isContainer(inner)) {
      throw badUsage(`--set "${path}" goes through ${key}, which is not an object`, 'Check the path')
    }
    container = inner
  }
  container[keys.at(-1) ?? ''] = jsonMark ? parseJsonValue(text, path) : convert(text)
}

// Without a contract, a value is text, except true, false and null. So amounts stay strings.
const namedValues = new Map<string, unknown>(Object.entries({true: true, false: false, null: null}))
export const convertUntyped = (text: string): unknown => (namedValues.has(text) ? namedValues.get(text) : text)

function parseJsonValue(text: string, path: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw badUsage(`--set ${path}:= is not followed by valid JSON`, 'Use = for plain text', cause)
  }
}

export function parsePair(assignment: string, flag: string): [string, string] {
  const separator = assignment.indexOf('=')
  if (separator < 1)
    throw badUsage(`${flag} "${assignment}" is not of the form name=value`, `Write ${flag} pageSize=20`)
  return [assignment.slice(0, separator), assignment.slice(separator + 1)]
}
