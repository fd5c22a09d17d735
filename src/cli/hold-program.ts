// Keeps the whole program in memory before something is written to the service. The files of svc are loaded when they are first
// used, and once money may have moved svc has to say so, even if its package is replaced meanwhile or no more files can be opened.
import fs from 'node:fs'
import {registerHooks} from 'node:module'
import path from 'node:path'
import {pathToFileURL} from 'node:url'
import {gunzipSync} from 'node:zlib'

let archive: Buffer | undefined
let sources: Record<string, string> | undefined

// The archive is small enough to be read before every payment, and unpacked only when a file is missing.
function readHeld(file: string): string | undefined {
  if (archive) sources ??= JSON.parse(gunzipSync(archive).toString()) as Record<string, string>
  return sources?.[file]
}

// `folder` has the files of the build, and the archive that the build made of them.
export function holdProgram(folder: string): void {
  if (archive) return
  archive = fs.readFileSync(path.join(folder, 'program.json.gz'))
  const base = `${pathToFileURL(folder).href}/`
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context)
      } catch (error) {
        const url = URL.parse(specifier, context.parentURL)?.href
        if (!url?.startsWith(base)) throw error
        return {url, format: 'commonjs', shortCircuit: true}
      }
    },
    load(url, context, next) {
      try {
        return next(url, context)
      } catch (error) {
        const source = url.startsWith(base) ? readHeld(url.slice(base.length)) : undefined
        if (source === undefined) throw error
        return {source, format: 'commonjs', shortCircuit: true}
      }
    },
  })
}
