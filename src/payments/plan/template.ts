// The template of a file for `svc pay`: the fields of a quote, the key and the limits.
import {type Label, findLabels} from '../../contract/labels.ts'
import {quoteCreate} from '../../contract/quotes.ts'
import {renderTemplate} from '../../cli/template/render-template.ts'
import {buildTemplateNodes, type TemplateNode} from '../../cli/template/template-nodes.ts'
import {planFile} from './plan-file.ts'

// The fields that only svc uses.
export const ownPlanLabels: Readonly<
  Record<Exclude<keyof typeof planFile.shape, keyof typeof quoteCreate.shape>, Label>
> = {
  key: {
    label: 'Unique, permanent name of this payment',
    hint: 'One key is paid at most once, however often it is run',
    isNeededForApproval: true,
  },
  maxFee: {
    label: 'Stop if all fees together exceed this',
    hint: 'An amount in the source currency such as 2.50, or a percentage such as 1.5%',
  },
  minRate: {label: 'Stop if the exchange rate is lower'},
  minReceived: {label: 'Stop if the amount received would be lower'},
}

export function buildPlanTemplate(): TemplateNode[] {
  const {key, ...limits} = ownPlanLabels
  return buildTemplateNodes(planFile, {labels: {key, ...findLabels(quoteCreate), ...limits}})
}

export const renderPlanTemplate = (nodes: readonly TemplateNode[]): string =>
  renderTemplate(nodes, {
    sentences: [
      'A payment. Check the price and the limits with `svc pay -f FILE --dry-run`, pay with `svc pay -f FILE`.',
    ],
  })
