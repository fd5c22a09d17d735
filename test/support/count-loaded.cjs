// Loaded into svc before it starts: tells on file descriptor 3 how much of svc and of Node was loaded when it ends.
const fs = require('node:fs')
const Module = require('node:module')

const own = {files: 0, bytes: 0}
const compile = Module.prototype._compile
Module.prototype._compile = function count(content, ...rest) {
  own.files += 1
  own.bytes += Buffer.byteLength(content)
  return compile.call(this, content, ...rest)
}

// The modules of Node that are loaded so far, with those of its start-up snapshot.
const countBuiltins = () => process.moduleLoadList.filter((name) => name.startsWith('NativeModule')).length
const before = countBuiltins()

process.on('exit', () => fs.writeSync(3, JSON.stringify({...own, builtins: countBuiltins() - before})))
