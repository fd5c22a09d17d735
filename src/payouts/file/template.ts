// The template of a payout file, as YAML or CSV.
import {type Label, findLabels, planLabels} from '../../contract/labels.ts'
import {renderTemplate} from '../../cli/template/render-template.ts'
import {type FieldNode, buildTemplateNodes, type TemplateNode} from '../../forms/template-nodes.ts'
import {quoteCreate} from '../../contract/quotes.ts'
import {type Column, columns, columnsRequired, findPathForColumn} from './records.ts'

export const templateFormats = ['csv', 'yaml'] as const

// The columns that are not fields of a quote.
const ownLabels: Readonly<Partial<Record<Column, Label>>> = {
  key: {...planLabels.key, hint: 'One key is paid at most once'},
  'max-fee': planLabels.maxFee,
  'min-rate': planLabels.minRate,
  'min-received': planLabels.minReceived,
  receive: planLabels.receive,
  'max-send': planLabels.maxSend,
  guarantee: {label: '', ...findLabels(quoteCreate)['guaranteeQuote'], hint: 'yes or no'},
  note: {label: 'Your own remark', hint: 'It is not sent; the journal, the result and the books have it'},
}

const flattenFields = (nodes: readonly TemplateNode[]): FieldNode[] =>
  nodes.flatMap((node) => (node.is === 'field' ? [node] : node.is === 'object' ? flattenFields(node.nodes) : []))

export function buildColumnNodes(): FieldNode[] {
  const fieldsByPath = new Map(flattenFields(buildTemplateNodes(quoteCreate)).map((field) => [field.path, field]))
  return columns.map((column) => {
    const field = fieldsByPath.get(findPathForColumn(column) ?? '')
    const isNeeded = columnsRequired.includes(column)
    const label = field?.label ?? ownLabels[column] ?? {label: column}
    return {
      is: 'field',
      path: column,
      name: column,
      label,
      isNeeded,
      format: field?.format ?? '',
      values: field?.values,
    }
  })
}

export const renderYamlTemplate = (nodes: readonly FieldNode[]): string =>
  renderTemplate(
    [
      {
        is: 'list',
        path: 'payouts',
        name: 'payouts',
        label: {label: 'The payments', fileHint: 'Copy the item for each further payment'},
        isNeeded: true,
        items: [{isNeeded: true, nodes}],
      },
    ],
    {sentences: ['A payout file. Check it with `svc payouts run FILE --dry-run`, pay it with `svc payouts run FILE`.']},
  )

// A header, and a row to fill in. A file of this format cannot hold comments.
export const renderCsvTemplate = (): string => `${columns.join(',')}\n${','.repeat(columns.length - 1)}\n`
