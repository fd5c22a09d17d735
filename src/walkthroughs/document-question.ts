// Asks for the image of a document by its path, with completion, and judges what is there.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {askLine} from './prompts.ts'
import type {Question} from './questions.ts'

const expanded = (text: string) => text.replace(/^~(?=$|\/)/, os.homedir())

// What Tab makes of a path: as much of it as is certain.
export function completedPath(text: string): string {
  const full = expanded(text)
  const folder = full.endsWith('/') ? full : path.dirname(full)
  const begun = full.endsWith('/') ? '' : path.basename(full)
  let names: string[]
  try {
    names = fs.readdirSync(folder || '.').filter((name) => name.startsWith(begun))
  } catch {
    // A folder that cannot be read completes nothing.
    return text
  }
  const [first = '', ...others] = names
  if (first === '') return text
  const common = others.reduce((shared, name) => {
    let length = 0
    while (length < shared.length && shared[length] === name[length]) length++
    return shared.slice(0, length)
  }, first)
  const whole = path.join(folder, common)
  const isFolder = others.length === 0 && fs.statSync(whole, {throwIfNoEntry: false})?.isDirectory()
  const completed = text.slice(0, text.length - begun.length) + common
  return isFolder ? `${completed}/` : completed
}

function problemOf(text: string, isRequired: boolean): string | undefined {
  if (text === '') return isRequired ? 'It is needed' : undefined
  const found = fs.statSync(expanded(text), {throwIfNoEntry: false})
  if (!found) return 'There is no such file'
  return found.isFile() ? undefined : 'It is not a file'
}

export async function askDocument({label, hint, isRequired}: Question, present: unknown): Promise<string | undefined> {
  const text = await askLine({
    message: `${label}:`,
    hint: isRequired ? hint : `${hint}. Enter alone skips it`,
    offered: typeof present === 'string' ? present : undefined,
    check: (typed) => problemOf(typed, isRequired),
    complete: completedPath,
  })
  return text === '' ? undefined : path.resolve(expanded(text))
}
