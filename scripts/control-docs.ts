// Writes the table of docs/sandbox-control.md from the operations of the sandbox. `npm run docs` runs it, and a test compares the page
// with it.
import fs from 'node:fs'
import path from 'node:path'
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

// The page with its table as it should be.
export function renderControlDocs(): {current: string; expected: string} {
  const current = fs.readFileSync(page, 'utf8')
  const head = '| | path | | fields |\n|---|---|---|---|'
  const [before = '', after = ''] = current.split(head)
  return {current, expected: `${before}${head}\n${endpointRows.join('\n')}${after.replace(/^(?:\n\|.*)*/, '')}`}
}

export function writeControlDocs(): void {
  fs.writeFileSync(page, renderControlDocs().expected)
}
