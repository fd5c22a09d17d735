// Reads data from a file or from standard input, as JSON or YAML.
import {findRepeatedField, isNestedTooDeep, parseJson} from '../../values/json.ts'
import {badUsage} from '../../errors.ts'
import {readNamedText} from '../../storage/read-regular-file.ts'
import {readStdin} from '../output/streams.ts'
import type {ReadNumber, YamlProblem} from '../../values/yaml.ts'

export interface ReadOptions {
  readNumber?: ReadNumber
  // Leaves out fields of a YAML file that have nothing after their name, as a template has them, except these at the top.
  omitsBlanksExcept?: readonly string[]
}

// `-` is standard input. JSON is tried first, because it is exact and needs no library.
export async function readDataFile(file: string, options: ReadOptions = {}): Promise<unknown> {
  const name = file === '-' ? 'standard input' : file
  const text = file === '-' ? await readStdin() : readText(file)
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

async function readYaml(text: string, name: string, {readNumber, omitsBlanksExcept}: ReadOptions): Promise<unknown> {
  const {toData, parseYaml} = await import('../../values/yaml.ts')
  const parsed = await parseYaml(text, readNumber)
  const [problem] = parsed.problems
  if (problem) throw unreadable(name, problem)
  if (omitsBlanksExcept) {
    const {omitBlanks} = await import('./omit-blanks.ts')
    omitBlanks(parsed.document, omitsBlanksExcept)
  }
  const converted = toData(parsed)
  if ('problem' in converted) throw unreadable(name, converted.problem)
  return converted.data
}

const unreadable = (name: string, {line, message}: YamlProblem) =>
  badUsage(
    `The content of ${name} is neither JSON nor YAML that can be used: line ${line} ${message}`,
    'Correct it and try again',
  )

const readText = (file: string): string =>
  readNamedText(file, (code, cause) => badUsage(`The file ${file} cannot be read (${code})`, 'Check the path', cause))
