// Quotes text from the service so that it can be pasted into a shell safely.

// A shell expands a tilde, also after a colon in an assignment, and some shells a word that begins with =.
const plainWord = /^[\w.+/:,@%][\w.+/=:,@%-]*$/

export const quoteForShell = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
