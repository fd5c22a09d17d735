#!/usr/bin/env node
// The installed command. It is written for any Node, however old, so that an old one gets a sentence and not a stack trace.
'use strict'

var required = [24, 5]
var running = process.versions.node.split('.').map(Number)

if (running[0] < required[0] || (running[0] === required[0] && running[1] < required[1])) {
  process.stderr.write(
    'svc: This is Node ' + process.versions.node + ', and svc needs Node ' + required.join('.') +
      ' or newer. Install a newer Node, or put it first on PATH.\n'
  )
  process.exitCode = 2
} else if (process.argv.length === 3 && ['--version', '-v', 'version'].indexOf(process.argv[2]) !== -1) {
  // Answered here, since everything else would take longer than the answer.
  var version = require('../package.json').version
  process.stdout.write('svc/' + version + ' ' + process.platform + '-' + process.arch + ' node-' + process.version + '\n')
} else if (!require('fs').existsSync(require('path').join(__dirname, '../dist/start.cjs'))) {
  process.stderr.write('svc: This copy of svc is not built yet. Run `npm ci`, or `npm run build`, first.\n')
  process.exitCode = 2
} else {
  // Early releases of Node 24 call the SQLite that svc stands on experimental; that is no news to whoever lists customers.
  var emitWarning = process.emitWarning
  process.emitWarning = function (warning) {
    if (!/^SQLite is an experimental/.test(String(warning))) emitWarning.apply(process, arguments)
  }
  // Compiled code is kept in the user's own folder; where that cannot be, everything works all the same.
  var path = require('path')
  var home = require('os').homedir()
  var cache = process.env.SVC_CACHE_DIR || path.join(process.env.XDG_CACHE_HOME || path.join(home, '.cache'), 'svc')
  require('module').enableCompileCache(path.join(cache, 'compiled'))
  require('../dist/start.cjs').start(process.argv.slice(2))
}
