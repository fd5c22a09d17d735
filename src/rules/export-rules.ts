// Rules as a file that people keep: in the form in which they are sent, in an order that lasts.
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

// By customer, name and id, whatever order the service has today, so that a file in git differs only where a rule does.
export const toExportedRules = (rules: readonly unknown[]): ExportedRule[] =>
  rules
    .map((rule) => ({id: (rule as {id?: unknown}).id, ...toConfiguration(rule)}))
    .toSorted(
      (one, other) =>
        compareText(one.customerId, other.customerId) ||
        compareText(one.name, other.name) ||
        compareText(one.id, other.id),
    )

// What is said of an export beyond the rules in it.
export function listExportNotices(rules: readonly unknown[]): string[] {
  const leftOut = [...new Set(rules.flatMap(listUnsendableFields))].toSorted()
  const unknown = rules.flatMap((rule) => {
    const paths = listUnknownValues(rule)
    const {id, name} = rule as {id?: unknown; name?: unknown}
    return paths.length > 0 ? `${JSON.stringify(name)} (${toText(id)}), by its ${paths.join(' and ')}` : []
  })
  return [
    ...(leftOut.length > 0
      ? [`Left out, since the interface does not know how to send them: ${leftOut.join(', ')}.`]
      : []),
    ...(unknown.length > 0
      ? [
          `Of a kind that the interface does not know: ${unknown.join('; ')}. \`svc rules apply\` leaves such a rule as it is; it can neither change it nor make it anew.`,
        ]
      : []),
  ]
}

// Where a rule has a value that is none of those of the interface.
const listUnknownValues = (rule: unknown): string[] =>
  findShapeProblems(rule, wire['rules']?.['get']?.reply ?? {}, definitions)
    .filter(({kind}) => kind === 'unknown value')
    .map(({path}) => path)

export interface ExportScope {
  customer?: string | undefined
  from?: string | undefined
}

// What stands above the rules in the file. It says nothing of the moment, so that two exports of the same rules are equal.
export function renderHeading({customer, from}: ExportScope): string {
  const whose = customer ? ` of customer ${customer}` : ''
  return [
    `${from ? 'Automation rules' : 'All automation rules'}${whose}, written by \`svc rules export\`.`,
    ...(from
      ? [`Only those that pay from account ${from}: do not apply this with --prune,`, 'which would delete the others.']
      : []),
    'See what a change would do with `svc rules apply -f FILE --dry-run`,',
    'and do it without --dry-run. Destination, developerFee and amount of a rule',
    'can change; for all else it is deleted and created anew (--replace).',
  ]
    .map((line) => `# ${cleanText(line)}\n`)
    .join('')
}
