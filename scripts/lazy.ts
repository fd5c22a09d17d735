// Plugins for bundles that load a module when it is first used, because most runs use only a part of what they import.
import type {Plugin} from 'rolldown'

// How rolldown imports another file of the bundle, or a module of Node, whose namespace it then copies.
const imports = /^(?:const|let) ([\w$]+) = require\("((node:)?[^"]+)"\);\n(?:\1 = [\w$.]+\(\1(?:, 1)?\);\n)?/gm

const quoteName = (name: string) => name.replaceAll('$', String.raw`\$`)

// Replaces the uses of an imported module by a call that loads it. The result is undefined if it is used in any other way
// than by its properties.
function replaceUses(code: string, name: string, isBuiltin: boolean): string | undefined {
  const word = String.raw`(?<![\w$])${quoteName(name)}(?![\w$])`
  const uses = new RegExp(isBuiltin ? String.raw`${word}(?:\.default(?![\w$])|(?=\.))` : String.raw`${word}(?=\.)`, 'g')
  const replaced = code.replace(uses, () => `(${name}$loaded ??= ${name}$load())`)
  return new RegExp(word).test(replaced) ? undefined : replaced
}

// A module with side effects is imported without a name, and stays as it is.
export const lazyImports: Plugin = {
  name: 'lazy-imports',
  renderChunk(code) {
    let rendered = code
    // `performance` is a global that Node loads at its first use. The time since the start of the process is as precise.
    rendered = rendered.replaceAll('performance.now()', '(process.uptime() * 1000)')
    // The modules of Node first: the copy of a namespace is a use of another file.
    const found = [...rendered.matchAll(imports)].toSorted(([, , , a = ''], [, , , b = '']) => b.length - a.length)
    for (const [statement, name = '', module, builtin] of found) {
      const replaced = replaceUses(rendered.replace(statement, ''), name, builtin !== undefined)
      if (replaced === undefined) continue
      rendered = `let ${name}$loaded; const ${name}$load = () => require("${module}");\n${replaced}`
    }
    return {code: rendered}
  },
}

// The modules of oclif are CommonJS that the TypeScript compiler wrote, with one form of import.
const oclifModule = /@oclif[\\/]core[\\/]lib[\\/].*\.js$/
const oclifImports = /^const (\w+) = ((?:__import(?:Default|Star)\()?require\("[^"]+"\)\)?);$/gm

// Ignores a closed output. svc does that itself, without creating the stream when it starts.
const oclifListener = /^process\.stdout\.on\('error', .*?^\}\);$/ms

export const lazyOclif: Plugin = {
  name: 'lazy-oclif',
  transform(code, id) {
    if (!oclifModule.test(id)) return null
    let transformed = code.replace(oclifListener, '')
    for (const [statement, name = '', load] of code.matchAll(oclifImports)) {
      const uses = new RegExp(String.raw`(?<![\w.])${name}(?=\.)`, 'g')
      const rest = transformed.replace(statement, '').replaceAll(uses, () => `(${name}$loaded ??= ${name}$load())`)
      transformed = `let ${name}$loaded; const ${name}$load = () => ${load};\n${rest}`
    }
    return {code: transformed}
  },
}
