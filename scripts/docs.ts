// Writes what is made from the sources into docs/: commands.md, one line for each command, and the table of sandbox-control.md.
// Tests compare them, so that they stay current.
import fs from 'node:fs'
import path from 'node:path'
import type {Interfaces} from '@oclif/core'
import {getMethod} from '../src/sandbox/operations/define.ts'
import {getOperation, operationNames} from '../src/sandbox/operations/operations.ts'
import {loadSurface, root} from './surface.ts'

export function renderCommandDocs({commands}: Interfaces.Manifest): string {
  const rows = Object.values(commands).map(
    ({id, summary = ''}) => `| \`svc ${id.replaceAll(':', ' ')}\` | ${summary} |`,
  )
  const note =
    '`svc COMMAND --help` explains one, with its flags and examples. `npm run docs` writes this page from the manifest.'
  return ['# Commands', '', note, '', '| command | what it does |', '|---|---|', ...rows, ''].join('\n')
}

const endpointRows = operationNames.map((name) => {
  const operation = getOperation(name)
  const fields = Object.entries(operation.input ?? {}).map(([field, {isRequired}]) =>
    isRequired ? `**\`${field}\`**` : `\`${field}\``,
  )
  return `| ${getMethod(operation)} | \`/${name.replaceAll('.', '/')}\` | ${operation.says} | ${fields.join(', ')} |`
})

// The page with its table as it should be.
export function renderControlDocs(page: string): string {
  const head = '| | path | | fields |\n|---|---|---|---|'
  const [before = '', after = ''] = page.split(head)
  return `${before}${head}\n${endpointRows.join('\n')}${after.replace(/^(?:\n\|.*)*/, '')}`
}

if (import.meta.main) {
  const controlPage = path.join(root, 'docs/sandbox-control.md')
  fs.writeFileSync(controlPage, renderControlDocs(fs.readFileSync(controlPage, 'utf8')))
  const {manifest} = await loadSurface()
  fs.writeFileSync(path.join(root, 'docs/commands.md'), renderCommandDocs(await manifest()))
}
