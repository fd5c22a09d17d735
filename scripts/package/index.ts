// Writes everything that is released to release/: `npm run package`, or `npm run package -- linux-x64` for one platform. Two runs at
// one commit write the same bytes.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {getSourceEpochSeconds} from '../build-details.ts'
import {readPackage, root} from '../surface.ts'
import {buildExecutable} from './executable.ts'
import {packForNpm} from './npm-package.ts'
import {type Platform, nodeVersion, platforms, readNodeLicense} from './platforms.ts'

const target = path.join(root, 'release')
const {version} = readPackage()

function choosePlatforms(names: readonly string[]): readonly Platform[] {
  const unknown = names.find((name) => platforms.every((platform) => platform.name !== name))
  if (unknown !== undefined) {
    throw new Error(`There is no platform ${unknown}; there are ${platforms.map(({name}) => name).join(', ')}`)
  }
  return names.length === 0 ? platforms : platforms.filter(({name}) => names.includes(name))
}

function write(name: string, content: string): void {
  fs.writeFileSync(path.join(target, name), content)
  process.stdout.write(`${name}\n`)
}

// The executable contains Node and the packages of the bundle.
const renderLicenses = () =>
  `The executable contains Node.js, whose licence is:\n\n${readNodeLicense()}\n\nIt also contains these packages:\n\n${fs.readFileSync(path.join(root, 'dist/licenses.txt'), 'utf8')}`

// Owners, times and the order of the files are fixed, so that the bytes are the same on every machine with GNU tar.
function writeArchive(name: string, folder: string, content: string): void {
  const fixed = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${getSourceEpochSeconds() ?? 0}`]
  const compressed = ['--use-compress-program=gzip -n9', '-cf', path.join(target, name)]
  execFileSync('tar', [...fixed, ...compressed, '-C', folder, content])
  process.stdout.write(`${name}\n`)
}

function writePlatform(platform: Platform, folder: string): void {
  const base = `svc-${version}-${platform.name}`
  const content = path.join(folder, base)
  const program = platform.name.startsWith('win32') ? 'svc.exe' : 'svc'
  const executable = buildExecutable(platform, path.join(folder, platform.name))
  fs.mkdirSync(content)
  fs.writeFileSync(path.join(content, program), executable, {mode: 0o755})
  fs.writeFileSync(path.join(content, 'LICENSES.txt'), renderLicenses())
  writeArchive(`${base}.tar.gz`, folder, base)
}

function writeRelease(): void {
  if (process.version !== `v${nodeVersion}`) {
    throw new Error(
      `This is Node ${process.version}; executables are built with ${nodeVersion}, by \`npm run package\``,
    )
  }
  const chosen = choosePlatforms(process.argv.slice(2))
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-package-'))
  fs.rmSync(target, {recursive: true, force: true})
  fs.mkdirSync(target)
  try {
    process.stdout.write(`${packForNpm(path.join(folder, 'npm'), target)}\n`)
    for (const platform of chosen) writePlatform(platform, folder)
    write('SHA256SUMS', execFileSync('sha256sum', fs.readdirSync(target).toSorted(), {cwd: target, encoding: 'utf8'}))
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

writeRelease()
