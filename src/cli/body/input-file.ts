// Reads data from a file or from standard input, as JSON or YAML.
import {isPlainObject} from '../../contract/shape.ts'
import {badUsage} from '../../errors.ts'
import {readNamedText} from '../../storage/read-regular-file.ts'
import {findRepeatedField, isNestedTooDeep, parseJson} from '../../values/json.ts'
import type {YamlOptions} from '../../values/yaml.ts'
import {readStdin} from '../output/streams.ts'

interface ReadOptions {
  readNumber?: YamlOptions['readNumber']
  // Leaves out fields of a YAML file that have nothing after their name, as a template has them.
  omitsBlanks?: boolean
}

// `-` is standard input. JSON is tried first, because it is exact and needs no library.
export async function readDataFile(file: string, options: ReadOptions = {}): Promise<unknown> {
  const name = file === '-' ? 'standard input' : file
  const text = file === '-' ? await readStdin() : readNamedText(file)
  if (text.trim() === '') throw badUsage(`There is nothing in ${name}`, 'Give JSON or YAML')
  let value: unknown
  try {
    value = parseJson(text)
  } catch (cause) {
    if (isNestedTooDeep(cause))
      throw badUsage(`The content of ${name} is nested too deeply`, 'Correct it and try again', cause)
    return readYaml(text, name, options)
  }
  const repeated = findRepeatedField(text)
  if (repeated === undefined) return value
  throw badUsage(`The content of ${name} has the field ${JSON.stringify(repeated)} twice`, 'Remove one of them')
}

const blank = Symbol('blank')

async function readYaml(text: string, name: string, {readNumber, omitsBlanks}: ReadOptions): Promise<unknown> {
  const {parseYaml} = await import('../../values/yaml.ts')
  const parsed = await parseYaml(text, {readNumber, ...(omitsBlanks && {blank})})
  if ('data' in parsed) {
    const kept = omitBlanks(parsed.data)
    return kept === blank ? {} : kept
  }
  const {line, message} = parsed.problem
  throw badUsage(
    `The content of ${name} is neither JSON nor YAML that can be used: line ${line} ${message}`,
    'Correct it and try again',
  )
}

// An object or a list of which nothing is left is blank too. `null`, `~`, "", {} and [] are values, and stay.
function omitBlanks(value: unknown): unknown {
  if (!Array.isArray(value) && !isPlainObject(value)) return value
  const fields = Object.entries(value)
  const kept = fields.map(([name, inner]) => [name, omitBlanks(inner)] as const).filter(([, inner]) => inner !== blank)
  if (kept.length === 0 && fields.length > 0) return blank
  return Array.isArray(value) ? kept.map(([, inner]) => inner) : Object.fromEntries(kept)
}
