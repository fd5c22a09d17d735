// Splits a command line into words as a shell does, without running anything: blanks separate, quotes and backslashes keep.
import {badUsage} from '../../errors.ts'

const piece = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gsy

export function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let end = 0
  for (const [found, single, double, escaped, plain, blank] of text.matchAll(piece)) {
    end += found.length
    if (blank === undefined) {
      const part = single ?? double?.replaceAll(/\\(["\\$])/g, '$1') ?? escaped ?? plain ?? ''
      word = (word ?? '') + part
    } else {
      if (word !== undefined) words.push(word)
      word = undefined
    }
  }
  if (end < text.length) throw badUsage('A quote of the command is never closed', 'Close it; nothing was changed')
  return word === undefined ? words : [...words, word]
}
