// Quotes text from the service so that it can be pasted into a shell safely.

const plainWord = /^[\w.~+/=:,@%][\w.~+/=:,@%-]*$/

export const quoteForShell = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
