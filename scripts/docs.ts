// Builds the documentation site into site/, which works on any web server, in any folder, and from a disk. Fails if a link leads
// nowhere. The tables of docs/sandbox-control.md are written first.
import fs from 'node:fs'
import path from 'node:path'
import {writeControlDocs} from './control-docs.ts'
import {buildSite} from './site/build-site.ts'
import {loadSurface, root} from './surface.ts'

writeControlDocs()
const surface = await loadSurface()
const {files, problems} = buildSite(await surface.help(), surface.pjson.version)
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exitCode = 1
} else {
  const folder = path.join(root, 'site')
  fs.rmSync(folder, {recursive: true, force: true})
  for (const [name, content] of files) {
    const file = path.join(folder, name)
    fs.mkdirSync(path.dirname(file), {recursive: true})
    fs.writeFileSync(file, content)
  }
  const pages = [...files.keys()].filter((name) => name.endsWith('.html')).length
  process.stdout.write(`${pages} pages in site/; open site/index.html\n`)
}
