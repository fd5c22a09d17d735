#!/usr/bin/env node
// The installed command. It runs on any version of Node, so that an old one prints a sentence and not a stack trace.
// In the single executable it runs too, and `require` is that of scripts/package/executable-main.cjs.
'use strict'

// The files inside of the single executable, or undefined.
var embedded = require.embedded
var required = [24, 5]
var running = process.versions.node.split('.').map(Number)

// One level at a time: where a file system answers with ENOENT, as /proc does, the recursion of Node never ends.
function makeFolders(fs, path, folder) {
  if (fs.existsSync(folder)) return
  makeFolders(fs, path, path.dirname(folder))
  fs.mkdirSync(folder, {mode: 448})
}

// Node runs what it finds in the cache, so nobody else may be able to put something there: neither into the folder, nor in its
// place. A folder that is missing is created for its owner alone.
function isPrivate(fs, path, folder) {
  if (!process.getuid) return true
  var user = process.getuid()
  function isOurs(found) {
    return found.isDirectory() && found.uid === user && (found.mode & 18) === 0
  }
  try {
    makeFolders(fs, path, path.resolve(folder))
    var parent = fs.statSync(path.dirname(folder))
    var isParentSafe = (parent.uid === user || parent.uid === 0) && ((parent.mode & 18) === 0 || (parent.mode & 512) !== 0)
    return (
      isParentSafe &&
      isOurs(fs.lstatSync(folder)) &&
      fs.readdirSync(folder).every(function (name) {
        return isOurs(fs.lstatSync(path.join(folder, name)))
      })
    )
  } catch (error) {
    return false
  }
}

// Without the streams of Node, which take longer to load than the answer. A reader that closes the output is no failure.
function print(text) {
  try {
    require('fs').writeSync(1, text)
  } catch (error) {
    if (error.code !== 'EPIPE') process.exitCode = 1
  }
}

function start(argv) {
  // Early releases of Node 24 print a warning that SQLite is experimental, which is of no use to users of svc.
  var emitWarning = process.emitWarning
  process.emitWarning = function (warning) {
    if (!/^SQLite is an experimental/.test(String(warning))) emitWarning.apply(process, arguments)
  }
  if (!embedded) cacheCompiledCode()
  require('../dist/start.cjs').start(argv, embedded)
}

// Compiled code is cached in the user's own directory. If that is not writable or not safe, svc still works.
function cacheCompiledCode() {
  var path = require('path')
  var cache = process.env.SVC_CACHE_DIR || path.join(process.env.XDG_CACHE_HOME || path.join(require('os').homedir(), '.cache'), 'svc')
  var folder = path.join(cache, 'compiled')
  if (!isPrivate(require('fs'), path, folder)) return
  // The folders that Node creates get no rights for others either, whatever the umask is.
  var umask = process.umask(63)
  require('module').enableCompileCache(folder)
  process.umask(umask)
}

var versionWords = ['--version', '-v', 'version']

var argv = process.argv.slice(2)
var others = argv.filter(function (word) {
  return versionWords.indexOf(word) === -1
})

if (running[0] < required[0] || (running[0] === required[0] && running[1] < required[1])) {
  process.stderr.write(
    'svc: This is Node ' + process.versions.node + ', and svc needs Node ' + required.join('.') +
      ' or newer. Install a newer Node, or put it first on PATH.\n'
  )
  process.exitCode = 2
} else if (argv.length === 1 && others.length === 0) {
  // Answered here, because loading svc would take longer than the answer.
  var version = require('../package.json').version
  print('svc/' + version + ' ' + process.platform + '-' + process.arch + ' node-' + process.version + '\n')
} else if (!embedded && !require('fs').existsSync(require('path').join(__dirname, '../dist/start.cjs'))) {
  process.stderr.write('svc: This copy of svc is not built yet. Run `npm ci`, or `npm run build`, first.\n')
  process.exitCode = 2
} else if (argv.length === 2 && others.length === 1 && others[0] === '--json') {
  var system = {node: process.versions.node, platform: process.platform + '-' + process.arch}
  print(JSON.stringify(Object.assign({}, require('../dist/build.json'), system), null, 2) + '\n')
} else {
  start(argv)
}
