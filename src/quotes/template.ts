// The template of a file for `svc quotes create`.
import {quoteCreate} from '../contract/quotes.ts'
import {renderTemplate} from '../cli/template/render-template.ts'
import {buildTemplateNodes, type TemplateNode} from '../forms/template-nodes.ts'

export const buildQuoteTemplate = (): TemplateNode[] => buildTemplateNodes(quoteCreate)

export const renderQuoteTemplate = (nodes: readonly TemplateNode[]): string =>
  renderTemplate(nodes, {
    sentences: ['The price of a payment. Request it with `svc quotes create -f FILE`.'],
  })
