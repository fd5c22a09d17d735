// Writes oclif.manifest.json, a snapshot of all commands and flags. A test compares it, so that changes show in review.
import fs from 'node:fs'
import path from 'node:path'
import {root, loadSurface} from './surface.ts'

const {manifest} = await loadSurface()
const text = JSON.stringify(await manifest(), null, 2)
fs.writeFileSync(path.join(root, 'oclif.manifest.json'), `${text}\n`)
