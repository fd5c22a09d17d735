// Writes the manual pages to dist/man, as the build does, without building the rest. `man -M dist/man svc-pay` reads one.
import path from 'node:path'
import {writeManual} from './man/write-man.ts'
import {loadSurface, root} from './surface.ts'

const surface = await loadSurface()
const count = writeManual(path.join(root, 'dist/man'), {help: await surface.help(), version: surface.pjson.version})
process.stdout.write(`${count} pages in dist/man/man1\n`)
