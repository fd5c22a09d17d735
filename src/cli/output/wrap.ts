// Breaks text into lines of a given width, between words where there is one to break at.
import stringWidth from 'string-width'

// A word that is wider than a line, such as a path, is cut where the line ends.
function pieces(word: string, width: number): string[] {
  if (stringWidth(word) <= width) return [word]
  const cut: string[] = []
  let piece = ''
  for (const character of word) {
    if (piece !== '' && stringWidth(piece + character) > width) {
      cut.push(piece)
      piece = ''
    }
    piece += character
  }
  return [...cut, piece]
}

export function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines = ['']
    for (const word of paragraph.split(' ').flatMap((each) => pieces(each, width))) {
      const line = lines.at(-1) ?? ''
      if (line !== '' && stringWidth(line) + 1 + stringWidth(word) > width) lines.push(word)
      else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
    }
    return lines
  })
}
