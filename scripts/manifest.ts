// Writes oclif.manifest.json, the snapshot of the command surface: a changed flag shows in review, and a test holds it.
import fs from 'node:fs'
import path from 'node:path'
import {root, loadSurface} from './surface.ts'

const {manifest} = await loadSurface()
const text = JSON.stringify(await manifest(), null, 2)
fs.writeFileSync(path.join(root, 'oclif.manifest.json'), `${text}\n`)
