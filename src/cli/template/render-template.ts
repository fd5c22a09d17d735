// Renders a template as YAML: every field blank, with its meaning, its format and whether it is needed as a comment.
import type {FieldNode, ListNode, TemplateNode} from '../../forms/template-nodes.ts'
import {endSentence, joinSentences} from '../../values/text.ts'
import {wrapText} from '../output/wrap-text.ts'

const widthMax = 80
const step = '  '

const renderComment = (text: string, indent: string): string[] =>
  wrapText(text, widthMax - indent.length - 2).map((line) => `${indent}# ${line}`)

// `isPartNeeded` is false inside a part that may be left blank as a whole.
function describeNeed({isNeeded}: {isNeeded: boolean}, isPartNeeded: boolean): string {
  if (!isNeeded) return 'Optional'
  return isPartNeeded ? 'Needed' : 'Needed with this part'
}

const describeNode = ({label: {label, hint, fileHint}}: TemplateNode): string => joinSentences([label, hint, fileHint])

function renderNodeComment(node: TemplateNode, indent: string, isPartNeeded: boolean): string[] {
  const meaning = describeNode(node)
  const format = node.is === 'field' && node.format !== '' ? endSentence(node.format) : ''
  // A hint for people may be the format already.
  const isSaid = format === '' || meaning.endsWith(format)
  return renderComment(`${describeNeed(node, isPartNeeded)}. ${meaning}${isSaid ? '' : ` ${format}`}`, indent)
}

const renderField = ({name, preset}: FieldNode, indent: string) =>
  `${indent}${name}:${preset === undefined ? '' : ` ${preset}`}`

// The first line of an item starts with a dash. Comments stay before it.
function addDash(lines: readonly string[], indent: string): string[] {
  const first = lines.findIndex((line) => !line.trimStart().startsWith('#'))
  return lines.map((line, index) => {
    if (index < first) return `${indent}${line.trimStart()}`
    return index === first ? `${indent}- ${line.trimStart()}` : line
  })
}

function renderItems({items}: ListNode, indent: string, isPartNeeded: boolean): string[] {
  return items.flatMap(({isNeeded, nodes}) => [
    ...(isNeeded ? [] : renderComment('Optional. Another item; leave it blank to send none.', indent)),
    ...addDash(renderNodes(nodes, `${indent}${step}`, isPartNeeded && isNeeded), indent),
  ])
}

// The first option is there to be filled in, the others to be used instead of it.
function renderOptions(
  options: ReadonlyArray<readonly TemplateNode[]>,
  indent: string,
  isPartNeeded: boolean,
): string[] {
  const [first = [], ...others] = options.map((nodes) => renderNodes(nodes, indent, isPartNeeded))
  return [
    ...first,
    ...others.flatMap((lines) => [
      ...renderComment('Or, instead of these:', indent),
      ...lines.map((line) => (line.trimStart().startsWith('#') ? line : `${indent}#${line.slice(indent.length)}`)),
    ]),
  ]
}

function renderNode(node: TemplateNode, indent: string, isPartNeeded: boolean): string[] {
  const comment = renderNodeComment(node, indent, isPartNeeded)
  if (node.is === 'field') return [...comment, renderField(node, indent)]
  const isInnerNeeded = isPartNeeded && node.isNeeded
  const inner = `${indent}${step}`
  const lines =
    node.is === 'object'
      ? renderNodes(node.nodes, inner, isInnerNeeded)
      : node.is === 'list'
        ? renderItems(node, inner, isInnerNeeded)
        : renderOptions(node.options, inner, isInnerNeeded)
  return ['', ...comment, `${indent}${node.name}:`, ...lines]
}

// A part is set apart by an empty line, also from the field after it.
function renderNodes(nodes: readonly TemplateNode[], indent: string, isPartNeeded: boolean): string[] {
  return nodes.flatMap((node, index) => {
    const follows = nodes[index - 1]
    const lines = renderNode(node, indent, isPartNeeded)
    if (index === 0 && lines[0] === '') return lines.slice(1)
    return follows && follows.is !== 'field' && node.is === 'field' ? ['', ...lines] : lines
  })
}

export const renderTemplate = (nodes: readonly TemplateNode[], heading: readonly string[]): string =>
  [
    ...[...heading, 'Fill in the blanks. What stays blank is not sent.'].flatMap((each) => renderComment(each, '')),
    '',
    ...renderNodes(nodes, '', true),
    '',
  ].join('\n')
