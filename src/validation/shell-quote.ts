// A word as it can be pasted into a shell, whatever the service put into it.

const plainWord = /^[\w.~+/=:,@%][\w.~+/=:,@%-]*$/

export const quoteForShell = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
