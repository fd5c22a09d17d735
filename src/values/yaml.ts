// Parses YAML files. Problems name the line but never quote the file, which may contain personal data. Nothing in the file
// is dropped. Aliases are refused: they can expand without limit, and contain themselves.
import type {Alias, ScalarTag, Tags} from 'yaml'
import {isNestedTooDeep} from './json.ts'

export interface YamlProblem {
  line: number
  // Completes a sentence that starts with the line, such as "is nested too deeply".
  message: string
}

export interface YamlOptions {
  // Converts an unquoted number, such as 02139 or +15551234567.
  readNumber?: ((source: string) => unknown) | undefined
  // Stands for a value that is not written at all, which is null otherwise.
  blank?: symbol | undefined
}

const tooDeep = 'is nested too deeply'

export const isNumeric = (tag: Tags[number]): tag is ScalarTag =>
  typeof tag === 'object' && /:(int|float)$/.test(tag.tag)

const adaptTag = (tag: Tags[number], {readNumber, blank}: YamlOptions): Tags[number] => {
  if (readNumber && isNumeric(tag)) return {...tag, resolve: readNumber}
  if (blank === undefined || typeof tag !== 'object' || !tag.tag.endsWith(':null')) return tag
  return {...(tag as ScalarTag), resolve: (source: string) => (source === '' ? blank : null)}
}

export async function parseYaml(
  text: string,
  options: YamlOptions = {},
): Promise<{data: unknown} | {problem: YamlProblem}> {
  const {LineCounter, parseDocument, visit} = await import('yaml')
  const lineCounter = new LineCounter()
  const reject = (offset: number | undefined, message: string) => ({
    problem: {line: lineCounter.linePos(offset ?? 0).line, message},
  })
  try {
    const document = parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      logLevel: 'error',
      stringKeys: true,
      customTags: (tags) => tags.map((tag) => adaptTag(tag, options)),
    })
    const [wrong] = [...document.errors, ...document.warnings]
    if (wrong?.code === 'RESOURCE_EXHAUSTION') return reject(wrong.pos[0], tooDeep)
    // The library's own message may quote the file.
    if (wrong) return reject(wrong.pos[0], `is wrong: ${wrong.code.toLowerCase().replaceAll('_', ' ')}`)
    const aliases: Alias[] = []
    visit(document, {Alias: (_, alias) => (aliases.push(alias), visit.BREAK)})
    const [alias] = aliases
    if (alias) return reject(alias.range?.[0], 'has an alias, which svc does not read: repeat the value')
    return {data: document.toJS()}
  } catch (error) {
    if (!isNestedTooDeep(error)) throw error
    return reject(0, tooDeep)
  }
}
