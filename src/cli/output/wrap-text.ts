// Breaks text into lines of a given width, between words. A word that is wider than a line is never broken.
import {wrapAnsi} from 'fast-wrap-ansi'

export const wrapText = (text: string, width: number): string[] => wrapAnsi(text, width).split('\n')
