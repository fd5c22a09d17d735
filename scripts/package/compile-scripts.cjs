// Compiles scripts for the single executable with the Node that will run them, each into a file beside it. The build runs this in
// a process of its own, with --predictable and --random-seed, so that the same scripts give the same bytes.
'use strict'

const fs = require('node:fs')
const v8 = require('node:v8')
const {Script} = require('node:vm')

// The text is the one that executable-main.cjs makes. All functions are compiled: those of a script that svc loads are mostly used.
function compile(name) {
  const source = fs.readFileSync(name, 'utf8')
  v8.setFlagsFromString('--no-lazy')
  const script = new Script(`(function(exports,require,module,__filename,__dirname,$import){${source}\n})`, {
    filename: `svc:${name}`,
  })
  // Node rejects what was compiled under other flags than its own.
  v8.setFlagsFromString('--lazy')
  fs.writeFileSync(`${name}.compiled`, script.createCachedData())
}

for (const name of JSON.parse(fs.readFileSync(0, 'utf8'))) compile(name)
