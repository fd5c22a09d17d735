// Writes the tables of docs/kyc.md that explain every field of a customer. A test compares them with the contract.
import fs from 'node:fs'
import path from 'node:path'
import type {z} from 'zod'
import {buildTemplateNodes, type TemplateNode} from '../src/forms/template-nodes.ts'
import {describeNode} from '../src/cli/template/render-template.ts'
import {
  address,
  associatedPerson,
  businessDocument,
  businessInfo,
  customerCreate,
  document,
  kybData,
  kycData,
} from '../src/contract/customers.ts'
import {root} from './surface.ts'

const tables: ReadonlyArray<readonly [title: string, object: z.ZodObject]> = [
  ['The customer', customerCreate],
  ['A person: `kycData`', kycData],
  ['An address: `address`, `businessRegisteredAddress`, `businessOperatingAddress`', address],
  ['A document of a person: `documents[0]`', document],
  ['A business: `kybData`', kybData],
  ['About the business: `kybData.businessInfo`', businessInfo],
  ['A person behind the business: `kybData.associatedPersons[0]`', associatedPerson],
  ['A document of the business: `kybData.businessDocuments[0]`', businessDocument],
]

const kinds = {object: 'An object', list: 'A list', choice: 'An object', field: ''} as const

const documentKinds = {GOVERNMENT_ID: 'an ID', PROOF_OF_ADDRESS: 'a proof of address'} as const

function describeNeed({isNeeded, label: {only}}: TemplateNode): string {
  if (!isNeeded) return only ? `only ${documentKinds[only]}` : ''
  return only ? `for ${documentKinds[only]}` : 'yes'
}

function renderRow(node: TemplateNode): string {
  const format = node.is === 'field' ? node.format : kinds[node.is]
  return `| \`${node.name}\` | ${describeNode(node)} | ${describeNeed(node)} | ${format} |`
}

const renderTable = (title: string, object: z.ZodObject) =>
  [
    `### ${title}`,
    '',
    '| field | meaning | needed | accepts |',
    '|---|---|---|---|',
    ...buildTemplateNodes(object).map(renderRow),
    '',
  ].join('\n')

const page = path.join(root, 'docs/kyc.md')
const markers = ['<!-- fields: written by scripts/field-docs.ts -->', '<!-- end of fields -->'] as const

// The page with its tables as they should be.
export function renderFieldDocs(): {current: string; expected: string} {
  const current = fs.readFileSync(page, 'utf8')
  const [before = '', rest = ''] = current.split(markers[0])
  const after = rest.split(markers[1])[1] ?? ''
  const text = tables.map(([title, object]) => renderTable(title, object)).join('\n')
  return {current, expected: `${before}${markers[0]}\n\n${text}\n${markers[1]}${after}`}
}

if (import.meta.main) fs.writeFileSync(page, renderFieldDocs().expected)
