// Sums up a plan of changes that is shown before it is carried out: of rules, or of schedules.

interface SummarySettings<Action extends string> {
  // What is said of each action, in this order. `unchanged` is one of them.
  labels: ReadonlyArray<readonly [Action, string]>
  singular: string
  plural: string
}

export function summarizeActions<Action extends string>(
  rows: ReadonlyArray<{action: Action}>,
  {labels, singular, plural}: SummarySettings<Action>,
): string {
  const count = (action: string) => rows.filter((row) => row.action === action).length
  if (count('unchanged') === rows.length) {
    return `${rows.length} ${rows.length === 1 ? singular : plural}, nothing to change.`
  }
  const parts = labels.filter(([action]) => count(action) > 0).map(([action, words]) => `${count(action)} ${words}`)
  return `Plan: ${parts.join(', ')}.`
}
