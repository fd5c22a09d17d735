// The styles of the pages, joined from the .css files of this folder when svc is built.
import fs from 'node:fs'
import path from 'node:path'

const read = (name: string) => fs.readFileSync(path.join(import.meta.dirname, `${name}.css`), 'utf8')

const base = read('base')
const ofConsole = base + read('console')

// `paper` is for a page that is a file.
export const stylesheets = {console: ofConsole, form: base + read('forms'), paper: ofConsole + read('paper')}
