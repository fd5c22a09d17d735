// Runs svc from its sources, and tells on file descriptor 3 which of them were loaded, which SQLite files were opened, and how
// many clients were created.
import fs from 'node:fs'
import {type LoadFnOutput, registerHooks, syncBuiltinESMExports} from 'node:module'
import path from 'node:path'
import {pathToFileURL} from 'node:url'

export interface Counted {
  modules: string[]
  // The names of the files, one for each time that one was opened.
  databases: string[]
  // Undefined if no module that was loaded creates clients.
  clients?: number
}

const counted: Counted = {modules: [], databases: []}
const root = path.resolve(import.meta.dirname, '../..')
const sources = pathToFileURL(`${root}/src/`).href

// The library for programs has a function of the same name, which a command never loads.
const clientFunction = /export function createClient\([^)]*\): Client \{/

declare global {
  var countClient: () => void
}
globalThis.countClient = () => void (counted.clients = (counted.clients ?? 0) + 1)

function countClients(url: string, loaded: LoadFnOutput): LoadFnOutput {
  const text = fs.readFileSync(new URL(url), 'utf8')
  if (!clientFunction.test(text)) return loaded
  counted.clients ??= 0
  return {...loaded, source: text.replace(clientFunction, (head) => `${head} countClient();`)}
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.startsWith(sources)) return loaded
    counted.modules.push(url.slice(sources.length))
    return countClients(url, loaded)
  },
})

const sqlite = process.getBuiltinModule('node:sqlite')
sqlite.DatabaseSync = class extends sqlite.DatabaseSync {
  constructor(...args: ConstructorParameters<typeof sqlite.DatabaseSync>) {
    super(...args)
    counted.databases.push(path.basename(String(args[0])))
  }
}
syncBuiltinESMExports()

process.on('exit', () => fs.writeSync(3, JSON.stringify(counted)))

await import(path.join(root, 'bin/dev.js'))
