// Breaks text into lines of a given width, between words; a word that is wider than a line is cut.
import {wrapAnsi} from 'fast-wrap-ansi'

export const wrapText = (text: string, width: number): string[] => wrapAnsi(text, width, {hard: true}).split('\n')
