// What people see of a file of rules before they approve it: what each rule does, in a sentence.
import {type Approvable, limitLines} from '../controls/approvable.ts'
import {createRulesSubject} from './approval-subject.ts'
import {describeRule} from './describe-rule.ts'
import type {WantedRule} from './rule-file.ts'

const rulesShownMax = 12

export function describeRules(
  serviceId: string,
  rules: readonly WantedRule[],
  {file, prune}: {file: string; prune: boolean},
): Approvable {
  const sentences = rules.map(({configuration}) => `${configuration.name}: ${describeRule(configuration as never)}`)
  return {
    subject: createRulesSubject(serviceId, rules, {prune}),
    name: file,
    file,
    facts: [
      {label: 'Rules', lines: [String(rules.length)]},
      {label: 'They do', lines: limitLines(sentences, rulesShownMax)},
      {
        label: 'Others',
        lines: [prune ? 'rules that the file does not have are deleted (--prune)' : 'other rules stay'],
      },
    ],
    snapshot: Object.fromEntries(
      rules.map(({configuration}) => [
        `${configuration.customerId} ${configuration.name}`,
        describeRule(configuration as never),
      ]),
    ),
  }
}
