// Tells Stryker to leave sentences alone: the words that people read stand in no rule.
interface Literal {
  type: string
  value?: unknown
  quasis?: ReadonlyArray<{value: {raw: string}}>
}

const sentenceWordsMin = 3

const readText = ({type, value, quasis = []}: Literal): string => {
  if (type === 'StringLiteral') return String(value)
  return type === 'TemplateLiteral' ? quasis.map(({value: {raw}}) => raw).join(' … ') : ''
}

const countWords = (text: string) => text.match(/\p{L}{2,}/gu)?.length ?? 0

const messages = {
  shouldIgnore: ({node}: {node: Literal}) =>
    countWords(readText(node)) >= sentenceWordsMin ? 'a sentence' : undefined,
}

export const strykerPlugins = [{kind: 'Ignore', name: 'messages', value: messages}]
