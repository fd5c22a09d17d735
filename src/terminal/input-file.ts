// Data that a person or a script hands over: a file of JSON or YAML, or standard input.
import fs from 'node:fs/promises'
import type {ScalarTag, Tags} from 'yaml'
import {parseJson} from '../checks/exact-json.ts'
import {badUsage, systemCode} from '../errors.ts'
import {readInput} from './streams.ts'

// What to make of a number that stands in YAML without quotes, such as 02139 or +15551234567.
type ReadNumber = (source: string) => unknown

// `-` is standard input. JSON is tried first, since it is exact and needs no library.
export async function readData(file: string, readNumber?: ReadNumber): Promise<unknown> {
  const name = file === '-' ? 'standard input' : file
  const text = file === '-' ? await readInput() : await textOf(file)
  if (text.trim() === '') throw badUsage(`There is nothing in ${name}`, 'Give JSON or YAML')
  try {
    return parseJson(text)
  } catch {
    return fromYaml(text, name, readNumber)
  }
}

async function fromYaml(text: string, name: string, readNumber?: ReadNumber): Promise<unknown> {
  const {parse} = await import('yaml')
  const isNumeric = (tag: Tags[number]): tag is ScalarTag => typeof tag === 'object' && /:(int|float)$/.test(tag.tag)
  try {
    return parse(text, {
      ...(readNumber && {
        customTags: (tags: Tags) => tags.map((tag) => (isNumeric(tag) ? {...tag, resolve: readNumber} : tag)),
      }),
    })
  } catch (cause) {
    const [why] = (cause as Error).message.split('\n')
    throw badUsage(
      `What is in ${name} is neither JSON nor YAML: ${why?.replace(/:$/, '')}`,
      'Mend it and try again',
      cause,
    )
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await fs.readFile(file, 'utf8')
  } catch (cause) {
    throw badUsage(`The file ${file} cannot be read (${systemCode(cause) ?? 'unknown'})`, 'Check the path', cause)
  }
}
