// The main script of the single executable: runs bin/run.js with a `require` that finds the files of the package inside of the
// executable. Nothing is unpacked, so no folder has to be writable.
'use strict'

const {getAssetKeys, getRawAsset} = require('node:sea')
const {Script} = require('node:vm')

const loaded = new Map()

function readFile(name) {
  return Buffer.from(getRawAsset(name))
}

// The names are those of the package, such as dist/start.cjs.
function resolve(folder, specifier) {
  const parts = folder.split('/')
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

function notFound(specifier) {
  return Object.assign(new Error(`Cannot find module '${specifier}'`), {code: 'MODULE_NOT_FOUND'})
}

// Optional packages have native code, which only a file could hold, so there are none in the executable. They are not searched
// on disk: a folder that somebody else can write to must not add code to svc.
function createRequire(folder) {
  const load = (specifier) => {
    if (specifier.startsWith('.')) return loadFile(resolve(folder, specifier))
    const found = process.getBuiltinModule(specifier)
    if (found === undefined) throw notFound(specifier)
    return found
  }
  load.embedded = embedded
  return load
}

// What `import()` is replaced by when the executable is built.
async function importModule(specifier) {
  const found = process.getBuiltinModule(specifier)
  if (found === undefined) throw notFound(specifier)
  return {...found, default: found}
}

function loadFile(name) {
  const known = loaded.get(name)
  if (known) return known.exports
  const module = {exports: {}, filename: name}
  loaded.set(name, module)
  const source = readFile(name).toString()
  if (name.endsWith('.json')) return (module.exports = JSON.parse(source))
  const script = new Script(`(function(exports,require,module,__filename,__dirname,$import){${source}\n})`, {
    filename: `svc:${name}`,
  })
  const folder = name.slice(0, name.lastIndexOf('/'))
  script
    .runInThisContext()
    .call(module.exports, module.exports, createRequire(folder), module, name, folder, importModule)
  return module.exports
}

// To list all names takes longer than most commands need, and only a few need them.
const embedded = {
  get names() {
    return getAssetKeys()
  },
  read: readFile,
}
loadFile('bin/run.js')
