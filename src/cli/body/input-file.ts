// Data that a person or a script hands over: a file of JSON or YAML, or standard input.
import fs from 'node:fs/promises'
import {isNestedTooDeep, parseJson} from '../../validation/exact-json.ts'
import {findRepeatedField} from '../../validation/repeated-field.ts'
import {badUsage, getSystemCode} from '../../errors.ts'
import {readStdin} from '../output/streams.ts'
import type {ReadNumber, YamlProblem} from './yaml-document.ts'

// `-` is standard input. JSON is tried first, since it is exact and needs no library.
export async function readDataFile(file: string, readNumber?: ReadNumber): Promise<unknown> {
  const name = file === '-' ? 'standard input' : file
  const text = file === '-' ? await readStdin() : await readText(file)
  if (text.trim() === '') throw badUsage(`There is nothing in ${name}`, 'Give JSON or YAML')
  let value: unknown
  try {
    value = parseJson(text)
  } catch (cause) {
    if (isNestedTooDeep(cause))
      throw badUsage(`What is in ${name} is nested too deeply`, 'Mend it and try again', cause)
    return parseYamlText(text, name, readNumber)
  }
  const repeated = findRepeatedField(text)
  if (repeated === undefined) return value
  throw badUsage(`What is in ${name} has the field ${JSON.stringify(repeated)} twice`, 'Leave one of them')
}

async function parseYamlText(text: string, name: string, readNumber?: ReadNumber): Promise<unknown> {
  const {toData: dataOf, parseYaml: readYaml} = await import('./yaml-document.ts')
  const read = await readYaml(text, readNumber)
  const [problem] = read.problems
  if (problem) throw unreadable(name, problem)
  const found = dataOf(read)
  if ('problem' in found) throw unreadable(name, found.problem)
  return found.data
}

const unreadable = (name: string, {line, message}: YamlProblem) =>
  badUsage(
    `What is in ${name} is neither JSON nor YAML that can be used: line ${line} ${inSentence(message)}`,
    'Mend it and try again',
  )

// The library's own sentences begin with a capital.
const inSentence = (message: string) => (/^[A-Z]/.test(message) ? `is wrong (${message.replace(/\.$/, '')})` : message)

async function readText(file: string): Promise<string> {
  try {
    return await fs.readFile(file, 'utf8')
  } catch (cause) {
    throw badUsage(`The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`, 'Check the path', cause)
  }
}
