// Searches text as people type it: capitals and accents do not count, and of several words each must be found.

// "angstrom" finds Ångström.
export const foldCase = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()

// Whether the text has every word of the term. It has those of an empty term.
export function hasWords(text: string, term: string): boolean {
  const folded = foldCase(text)
  return foldCase(term.trim())
    .split(/\s+/)
    .every((word) => folded.includes(word))
}
