// Looks a word that others wrote up in a table of ours. A plain index would also find what every object inherits, such as
// `constructor`.
export const lookUp = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined
