// The styles of the pages, joined from the .css files of this folder when svc is built.
import fs from 'node:fs'
import path from 'node:path'

const read = (...names: readonly string[]) =>
  names.map((name) => fs.readFileSync(path.join(import.meta.dirname, `${name}.css`), 'utf8')).join('')

// `paper` is for a page that is a file.
export const stylesheets = {
  console: read('base', 'console'),
  form: read('base', 'forms'),
  paper: read('base', 'console', 'paper'),
}
