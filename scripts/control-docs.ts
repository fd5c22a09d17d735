// Writes the tables of docs/sandbox-control.md, from the operations of the sandbox and the errors of control. `npm run docs` runs
// it, and a test compares the page with it.
import fs from 'node:fs'
import path from 'node:path'
import {controlErrors} from '../src/sandbox/operations/control-reply.ts'
import {getMethod} from '../src/sandbox/operations/define.ts'
import {getOperation, operationNames} from '../src/sandbox/operations/operations.ts'
import {root} from './surface.ts'

const page = path.join(root, 'docs/sandbox-control.md')

const endpointRows = operationNames.map((name) => {
  const operation = getOperation(name)
  const fields = Object.entries(operation.input ?? {}).map(([field, {isRequired}]) =>
    isRequired ? `**\`${field}\`**` : `\`${field}\``,
  )
  return `| ${getMethod(operation)} | \`/${name.replaceAll('.', '/')}\` | ${operation.says} | ${fields.join(', ')} |`
})

const errorRows = Object.entries(controlErrors).map(
  ([error, {status, condition}]) => `| ${status} | \`${error}\` | ${condition} |`,
)

// Replaces the rows below the head of a table.
function replaceRows(text: string, head: string, rows: readonly string[]): string {
  const [before = '', after = ''] = text.split(head)
  return `${before}${head}\n${rows.join('\n')}${after.replace(/^(?:\n\|.*)*/, '')}`
}

// The page with its tables as they should be.
export function renderControlDocs(): {current: string; expected: string} {
  const current = fs.readFileSync(page, 'utf8')
  const withEndpoints = replaceRows(current, '| | path | | fields |\n|---|---|---|---|', endpointRows)
  return {current, expected: replaceRows(withEndpoints, '| status | error | when |\n|---|---|---|', errorRows)}
}

export function writeControlDocs(): void {
  fs.writeFileSync(page, renderControlDocs().expected)
}
