// Writes what is made from the sources into docs/: commands.md, one line for each command, and the tables of sandbox-control.md.
// Tests compare them, so that they stay current.
import fs from 'node:fs'
import path from 'node:path'
import {renderCommandDocs} from './command-docs.ts'
import {writeControlDocs} from './control-docs.ts'
import {loadSurface, root} from './surface.ts'

writeControlDocs()
const {manifest} = await loadSurface()
fs.writeFileSync(path.join(root, 'docs/commands.md'), renderCommandDocs(await manifest()))
