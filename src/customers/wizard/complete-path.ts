// Completes the path of a file as a shell does when Tab is pressed.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export const expandHome = (text: string) => text.replace(/^~(?=$|\/)/, os.homedir())

const findCommonPrefix = ([first = '', ...others]: readonly string[]) =>
  others.reduce((prefix, name) => {
    let length = 0
    while (length < prefix.length && prefix[length] === name[length]) length++
    return prefix.slice(0, length)
  }, first)

function listFolder(folder: string): string[] {
  try {
    return fs.readdirSync(folder || '.')
  } catch {
    // A folder that cannot be read offers no completion.
    return []
  }
}

// Extends the path as far as it is unambiguous. Hidden files are completed only after a typed dot.
export function completePath(text: string): string {
  if (text === '~') return '~/'
  const full = expandHome(text)
  const folder = full.endsWith('/') ? full : path.dirname(full)
  const start = full.endsWith('/') ? '' : path.basename(full)
  const matches = listFolder(folder).filter((name) => name.startsWith(start) && (start !== '' || !name.startsWith('.')))
  if (matches.length === 0) return text
  const prefix = findCommonPrefix(matches)
  const isFolder =
    matches.length === 1 && fs.statSync(path.join(folder, prefix), {throwIfNoEntry: false})?.isDirectory()
  const completed = text.slice(0, text.length - start.length) + prefix
  return isFolder ? `${completed}/` : completed
}
