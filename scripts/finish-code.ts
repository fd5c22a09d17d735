// Last changes to the files of a bundle, by which Node loads them faster.
import fs from 'node:fs'
import path from 'node:path'
import {parseAst} from 'rolldown/parseAst'

const hexadecimal = 16
const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(hexadecimal).padStart(4, '0')}`

const isBeyondAscii = (text: string) => /\P{ASCII}/u.test(text)

// A template with a tag may see how its text is written.
function hasTaggedText(node: unknown, isTagged = false): boolean {
  if (typeof node === 'string') return isTagged && isBeyondAscii(node)
  if (typeof node !== 'object' || node === null) return false
  return Object.entries(node).some(([key, inner]) => hasTaggedText(inner, isTagged || key === 'quasi'))
}

// One character beyond Latin-1 makes V8 keep the whole file with two bytes for each character. A backslash before such a
// character changes nothing, and is left out.
export function escapeCode(code: string): string {
  if (!isBeyondAscii(code) || hasTaggedText(parseAst(code))) return code
  const escaped = code.replaceAll(
    /(\\*)(\P{ASCII}+)/gu,
    (_, slashes: string, text: string) =>
      slashes.slice(0, slashes.length - (slashes.length % 2)) + text.split('').map(escapeUnit).join(''),
  )
  parseAst(escaped)
  return escaped
}

const runtimeFile = /^rolldown-runtime-.*\.cjs$/

// The helpers of the bundle are in a file of their own. They move to the start of the one that is always loaded.
export function moveRuntime(folder: string, entry: string): void {
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.cjs'))
  const runtime = files.find((name) => runtimeFile.test(name))
  if (runtime === undefined) throw new Error('the bundle has no file with its helpers')
  const helpers = fs.readFileSync(path.join(folder, runtime), 'utf8')
  for (const name of files) {
    const file = path.join(folder, name)
    const isEntry = name === entry
    const found = isEntry ? 'exports.$runtime' : `require("./${entry}").$runtime`
    const code = fs.readFileSync(file, 'utf8').replaceAll(`require("./${runtime}")`, found)
    fs.writeFileSync(file, isEntry ? `exports.$runtime=(exports=>{${helpers};return exports})({});${code}` : code)
  }
  fs.rmSync(path.join(folder, runtime))
}

export function escapeFiles(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    if (!name.endsWith('.cjs')) continue
    const file = path.join(folder, name)
    const code = fs.readFileSync(file, 'utf8')
    const escaped = escapeCode(code)
    if (escaped !== code) fs.writeFileSync(file, escaped)
  }
}
