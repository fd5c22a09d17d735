// Rules as a file that people keep: in the form in which they are sent, in an order that lasts.
import {findingsIn} from '../contract/shape.ts'
import {definitions, wire} from '../contract/wire.frozen.ts'
import {cleanText} from '../terminal/clean.ts'
import {type RuleConfiguration, configurationOf} from './rule-form.ts'

export type ExportedRule = {id?: unknown} & RuleConfiguration

const compare = (one: unknown, other: unknown) => {
  const [a, b] = [String(one), String(other)]
  if (a === b) return 0
  return a < b ? -1 : 1
}

// By customer, name and id, whatever order the service has today, so that a file in git differs only where a rule does.
export const exportedRules = (rules: readonly unknown[]): ExportedRule[] =>
  rules
    .map((rule) => ({id: (rule as {id?: unknown}).id, ...configurationOf(rule)}))
    .toSorted(
      (one, other) =>
        compare(one.customerId, other.customerId) || compare(one.name, other.name) || compare(one.id, other.id),
    )

// A currency is sent as its label, so whatever else the service says of it is no part of the rule.
const isOfCurrency = (path: string) => /Currency\./.test(path)

// What the service said of its rules that no request can say, since the interface does not know it.
export function fieldsLeftOut(rules: readonly unknown[]): string[] {
  const shape = wire['rules']?.['get']?.reply ?? {}
  const paths = rules
    .flatMap((rule) => findingsIn(rule, shape, definitions))
    .filter(({kind, path}) => kind === 'unknown field' && !isOfCurrency(path))
    .map(({path}) => path)
  return [...new Set(paths)].toSorted()
}

export interface Scope {
  customer?: string | undefined
  from?: string | undefined
}

// What stands above the rules in the file. It says nothing of the moment, so that two exports of the same rules are equal.
export function heading({customer, from}: Scope): string {
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
