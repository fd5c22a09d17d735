// Flags of the form path=value, and the body or query they build.
import {parseJson} from '../checks/exact-json.ts'
import {badUsage} from '../errors.ts'

export type Body = Record<string, unknown>

const named: Record<string, unknown> = {true: true, false: false, null: null}

// `path=value` is text, except true, false and null; `path:=value` is JSON. Amounts stay strings that way.
export function setIn(body: Body, assignment: string): void {
  const [, path, typed, text] = /^([^=:]+)(:?)=([\s\S]*)$/.exec(assignment) ?? []
  if (path === undefined || text === undefined) {
    throw badUsage(`--set "${assignment}" is not of the form path=value`, 'Write --set a.b=text, or --set a.b:=JSON')
  }
  const keys = path.split('.')
  if (keys.some((key) => key === '' || key === '__proto__')) {
    throw badUsage(`--set "${path}" is not a path`, 'Write names with dots between them, such as kycData.address.city')
  }
  let holder: Body = body
  for (const key of keys.slice(0, -1)) {
    const inner = Object.hasOwn(holder, key) ? holder[key] : (holder[key] = {})
    if (typeof inner !== 'object' || inner === null) {
      throw badUsage(`--set "${path}" goes through ${key}, which is not an object`, 'Check the path')
    }
    holder = inner as Body
  }
  holder[keys.at(-1) ?? ''] = typed ? jsonIn(text, path) : Object.hasOwn(named, text) ? named[text] : text
}

function jsonIn(text: string, path: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw badUsage(`--set ${path}:= is not followed by valid JSON`, 'Use = for plain text', cause)
  }
}

export function pairOf(assignment: string, flag: string): [string, string] {
  const at = assignment.indexOf('=')
  if (at < 1) throw badUsage(`${flag} "${assignment}" is not of the form name=value`, `Write ${flag} pageSize=20`)
  return [assignment.slice(0, at), assignment.slice(at + 1)]
}
