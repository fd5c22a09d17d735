// Breaks text into lines of a given width, between words.
import {wrapAnsi} from 'fast-wrap-ansi'

// A word that is wider than a line is cut, for screens that are drawn again.
export const wrapText = (text: string, width: number): string[] => wrapAnsi(text, width, {hard: true}).split('\n')

// A word that is wider than a line is never cut, so that it can be copied.
export const wrapWords = (text: string, width: number): string[] => wrapAnsi(text, width).split('\n')
