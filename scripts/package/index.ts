// Writes everything that is released to release/: `npm run package`, or `npm run package -- linux-x64` for one platform. Two runs at
// one commit write the same bytes. `--signing-key FILE` signs the checksums.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {getSourceEpochSeconds} from '../build-details.ts'
import {readPackage, root} from '../surface.ts'
import {
  checkSignature,
  checksumsName,
  notSigned,
  readPackageOptions,
  renderChecksums,
  signChecksums,
  signatureName,
} from './checksums.ts'
import {writeDebianPackage} from './debian.ts'
import {buildExecutable} from './executable.ts'
import {listCompletions, listManualPages, renderLicenses, toFile} from './extras.ts'
import {packForNpm} from './npm-package.ts'
import {type Platform, nodeVersion, platforms} from './platforms.ts'
import {readChanges} from './release-notes.ts'
import {writeBillOfMaterials} from './sbom.ts'
import {writeTarGz} from './tar.ts'

const target = path.join(root, 'release')
const {version} = readPackage()
const epochSeconds = getSourceEpochSeconds() ?? 0

function choosePlatforms(names: readonly string[]): readonly Platform[] {
  const unknown = names.find((name) => platforms.every((platform) => platform.name !== name))
  if (unknown !== undefined) {
    throw new Error(`There is no platform ${unknown}; there are ${platforms.map(({name}) => name).join(', ')}`)
  }
  return names.length === 0 ? platforms : platforms.filter(({name}) => names.includes(name))
}

function write(name: string, content: string | Buffer): void {
  fs.writeFileSync(path.join(target, name), content)
  process.stdout.write(`${name}  ${(content.length / 1_000_000).toFixed(1)} MB\n`)
}

function writePlatform(platform: Platform, folder: string, changes: string): void {
  const executable = buildExecutable(platform, path.join(folder, platform.name))
  const base = `svc-${version}-${platform.name}`
  const program = platform.name.startsWith('win32') ? 'svc.exe' : 'svc'
  const files = [
    {name: `${base}/${program}`, content: executable, mode: 0o755},
    ...listManualPages(`${base}/man/man1`),
    ...listCompletions(`${base}/completions`),
    toFile(`${base}/LICENSES.txt`, renderLicenses()),
  ]
  write(`${base}.tar.gz`, writeTarGz(files, epochSeconds))
  if (platform.debian === undefined) return
  const source = {version, architecture: platform.debian, executable, changes, epochSeconds}
  write(`svc_${version}_${platform.debian}.deb`, writeDebianPackage(source))
}

function writeChecksums(signingKey: string | undefined): void {
  const checksums = renderChecksums(target)
  write(checksumsName, checksums)
  if (signingKey === undefined) {
    process.stderr.write(`${notSigned}\n`)
    return
  }
  write(signatureName, signChecksums(checksums, signingKey))
  process.stdout.write(checkSignature(checksums, path.join(target, signatureName)))
}

function writeRelease(): void {
  if (process.version !== `v${nodeVersion}`) {
    throw new Error(
      `This is Node ${process.version}; executables are built with ${nodeVersion}, by \`npm run package\``,
    )
  }
  const {platformNames, signingKey} = readPackageOptions(process.argv.slice(2), process.env)
  const chosen = choosePlatforms(platformNames)
  const changes = readChanges(fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), version)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-package-'))
  fs.rmSync(target, {recursive: true, force: true})
  fs.mkdirSync(target)
  try {
    const packed = packForNpm(path.join(folder, 'npm'), target)
    process.stdout.write(`${packed}\n`)
    for (const platform of chosen) writePlatform(platform, folder, changes)
    write('sbom.cdx.json', writeBillOfMaterials(epochSeconds))
    write('RELEASE-NOTES.md', `# svc ${version}\n\n${changes}\n`)
    writeChecksums(signingKey)
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

writeRelease()
