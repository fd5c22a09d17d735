// Exports rules to a file: in the form of requests, in a stable order.
import type {LooseRule} from '../contract/loose.ts'
import {findShapeProblems} from '../contract/shape.ts'
import {definitions, wire} from '../contract/wire.frozen.ts'
import {cleanText} from '../cli/output/clean.ts'
import {toText} from '../cli/output/view.ts'
import {listUnsendableFields} from './unsendable-fields.ts'
import {type RuleConfiguration, toConfiguration} from './rule-configuration.ts'

export type ExportedRule = {id?: unknown} & RuleConfiguration

const compareText = (one: unknown, other: unknown) => {
  const [a, b] = [String(one), String(other)]
  if (a === b) return 0
  return a < b ? -1 : 1
}

// Sorts by customer, name and id, so that a file in git differs only where a rule does.
export const toExportedRules = (rules: readonly LooseRule[]): ExportedRule[] =>
  rules
    .map((rule) => ({id: rule.id, ...toConfiguration(rule)}))
    .toSorted(
      (one, other) =>
        compareText(one.customerId, other.customerId) ||
        compareText(one.name, other.name) ||
        compareText(one.id, other.id),
    )

export function listExportNotices(rules: readonly LooseRule[]): string[] {
  const leftOut = [...new Set(rules.flatMap(listUnsendableFields))].toSorted()
  const unknown = rules.flatMap((rule) => {
    const paths = listUnknownValues(rule)
    const {id, name} = rule
    return paths.length > 0 ? `${JSON.stringify(name)} (${toText(id)}), because of ${paths.join(' and ')}` : []
  })
  return [
    ...(leftOut.length > 0 ? [`Left out, because requests cannot carry them: ${leftOut.join(', ')}.`] : []),
    ...(unknown.length > 0
      ? [
          `Of a type that svc does not know: ${unknown.join('; ')}. \`svc rules apply\` leaves such rules unchanged; it cannot change or create them.`,
        ]
      : []),
  ]
}

// Paths of values that the interface does not define.
const listUnknownValues = (rule: unknown): string[] =>
  findShapeProblems(rule, wire['rules']?.['get']?.reply ?? {}, definitions)
    .filter(({kind}) => kind === 'unknown value')
    .map(({path}) => path)

export interface ExportScope {
  customer?: string | undefined
  from?: string | undefined
}

// The comment at the top of the file. It has no date, so that two exports of the same rules are equal.
export function renderHeading({customer, from}: ExportScope): string {
  const whose = customer ? ` of customer ${customer}` : ''
  return [
    `${from ? 'Automation rules' : 'All automation rules'}${whose}, written by \`svc rules export\`.`,
    ...(from
      ? [
          `Only rules that pay from account ${from}. Do not apply this file with --prune,`,
          'which would delete the others.',
        ]
      : []),
    'Preview changes with `svc rules apply -f FILE --dry-run`, and apply them',
    'without --dry-run. Only destination, developerFee and amount of a rule can',
    'change; for other changes --replace deletes the rule and creates it again.',
  ]
    .map((line) => `# ${cleanText(line)}\n`)
    .join('')
}
