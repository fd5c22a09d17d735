// Parses YAML files. Problems name the line but never quote the file, which may contain personal data. Nothing in the file
// is dropped. Aliases are refused: they can expand without limit, and contain themselves.
import type {Document, ScalarTag, Tags} from 'yaml'
import {isNestedTooDeep} from './json.ts'

// Converts an unquoted number, such as 02139 or +15551234567.
export type ReadNumber = (source: string) => unknown

export interface YamlProblem {
  line: number
  // Completes a sentence that starts with the line, such as "is nested too deeply".
  message: string
}

export interface ParsedYaml {
  document: Document
  lineOf: (offset: number | undefined) => number
  // If there are any, the document must not be used.
  problems: YamlProblem[]
}

const tooDeep = 'is nested too deeply'

// For these errors the library's own message quotes the file.
const messagesByCode: Readonly<Record<string, string>> = {
  TAG_RESOLVE_FAILED: 'has a tag that svc does not know',
  BAD_COLLECTION_TYPE: 'has a tag that svc does not know',
  UNEXPECTED_TOKEN: 'contains something that does not belong there',
  BAD_ALIAS: 'has an alias without a name',
  BAD_DIRECTIVE: 'has a directive that svc does not know',
  BAD_DQ_ESCAPE: 'has an escape sequence that YAML does not know',
  IMPOSSIBLE: 'is not well formed',
  NON_STRING_KEY: 'has a key that is not text',
  RESOURCE_EXHAUSTION: tooDeep,
}

export const isNumeric = (tag: Tags[number]): tag is ScalarTag =>
  typeof tag === 'object' && /:(int|float)$/.test(tag.tag)

export async function parseYaml(text: string, readNumber?: ReadNumber): Promise<ParsedYaml> {
  const {LineCounter, parseDocument} = await import('yaml')
  const lineCounter = new LineCounter()
  const findLine = (offset: number | undefined) => lineCounter.linePos(offset ?? 0).line
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    logLevel: 'error',
    stringKeys: true,
    ...(readNumber && {
      customTags: (tags: Tags) => tags.map((tag) => (isNumeric(tag) ? {...tag, resolve: readNumber} : tag)),
    }),
  })
  const found = [...document.errors, ...document.warnings].map(({code, message, pos}) => ({
    line: findLine(pos[0]),
    message: messagesByCode[code] ?? `is wrong (${message.split('\n', 1)[0] ?? code})`,
  }))
  const problems = found.length > 0 ? found : await aliasProblems(document, findLine)
  return {document, lineOf: findLine, problems}
}

async function aliasProblems(document: Document, lineOf: ParsedYaml['lineOf']): Promise<YamlProblem[]> {
  const {visit} = await import('yaml')
  const problems: YamlProblem[] = []
  try {
    visit(document, {
      Alias(_, alias) {
        problems.push({
          line: lineOf(alias.range?.[0]),
          message: 'has an alias, which svc does not read: repeat the value',
        })
        return visit.BREAK
      },
    })
  } catch (error) {
    if (!isNestedTooDeep(error)) throw error
    problems.push({line: 1, message: tooDeep})
  }
  return problems
}

// The data of a document without problems.
export function toData({document}: ParsedYaml): {data: unknown} | {problem: YamlProblem} {
  try {
    return {data: document.toJS()}
  } catch (error) {
    if (isNestedTooDeep(error)) return {problem: {line: 1, message: tooDeep}}
    throw error
  }
}
