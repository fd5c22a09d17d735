// The template of a file for `svc rules create` and `svc rules apply`.
import {ruleCreate} from '../contract/rules.ts'
import {renderTemplate} from '../cli/template/render-template.ts'
import {buildTemplateNodes, type TemplateNode} from '../cli/template/template-nodes.ts'

export const buildRuleTemplate = (): TemplateNode[] => buildTemplateNodes(ruleCreate)

export const renderRuleTemplate = (nodes: readonly TemplateNode[]): string =>
  renderTemplate(nodes, {
    sentences: [
      'An automation rule. Try it with `svc rules simulate -f FILE`, create it with `svc rules create -f FILE`, or keep it in git and use `svc rules apply -f FILE`.',
    ],
  })
