// Writes the Debian package of a platform: the executable, manual pages, completions and licences.
import {createHash} from 'node:crypto'
import {compress, listCompletions, listManualPages, renderLicenses, toFile} from './extras.ts'
import {type ArchiveFile, writeAr, writeTarGz} from './tar.ts'

export interface DebianSource {
  version: string
  architecture: string
  executable: Buffer
  changes: string
  epochSeconds: number
}

// What Node's binary is linked with. The version of the C library is the one that Node is built for.
const depends = 'libc6 (>= 2.28), libgcc-s1 (>= 3.4), libstdc++6 (>= 8)'
const maintainer = 'The maintainers of svc <maintainers@users.noreply.a-seed-d4356e57.example>'

const description = `command line for a fiat and crypto payments service
 Creates and verifies customers, makes payments exactly once, and pays
 files of payouts, alone or by a fleet of workers. A sandbox of the whole
 service is built in.
 .
 The program contains its own Node.js and needs no other.`

// Where the shells of the distribution look for completions. PowerShell has no such folder.
const shellFiles: Readonly<Record<string, string>> = {
  'svc.bash': 'usr/share/bash-completion/completions/svc',
  _svc: 'usr/share/zsh/vendor-completions/_svc',
  'svc.fish': 'usr/share/fish/vendor_completions.d/svc.fish',
}

const listShellFiles = () =>
  listCompletions('').flatMap((file) => {
    const name = shellFiles[file.name.slice(1)]
    return name === undefined ? [] : [{...file, name}]
  })

// Debian has the text of the Apache licence elsewhere, so the licences of others are in a file of their own.
const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: svc
Comment: The program contains Node.js and packages for it. Their licences
 are in /usr/share/doc/svc/LICENSES.txt.gz.
`

// Node has its own zlib inside, and the part of the binary that holds svc would not survive the removal of symbols.
const overrides = `svc: embedded-library *zlib* [usr/bin/svc]
svc: unstripped-binary-or-object [usr/bin/svc]
`

const changelogDate = (epochSeconds: number) => {
  const [day = '', rest = ''] = new Date(epochSeconds * 1000).toUTCString().split(', ')
  return `${day}, ${rest.replace('GMT', '+0000')}`
}

const renderChangelog = ({version, epochSeconds}: DebianSource) =>
  `svc (${version}) unstable; urgency=medium

  * What is new is in /usr/share/doc/svc/NEWS.gz.

 -- ${maintainer}  ${changelogDate(epochSeconds)}
`

function listFiles(source: DebianSource): ArchiveFile[] {
  return [
    {name: 'usr/bin/svc', content: source.executable, mode: 0o755},
    ...listManualPages('usr/share/man/man1').map(compress),
    ...listShellFiles(),
    toFile('usr/share/doc/svc/copyright', copyright),
    compress(toFile('usr/share/doc/svc/LICENSES.txt', renderLicenses())),
    compress(toFile('usr/share/doc/svc/NEWS', `${source.changes}\n`)),
    compress(toFile('usr/share/doc/svc/changelog', renderChangelog(source))),
    toFile('usr/share/lintian/overrides/svc', overrides),
  ]
}

function renderControl({version, architecture}: DebianSource, files: readonly ArchiveFile[]): string {
  const kibibytes = files.reduce((total, {content}) => total + Math.ceil((content?.length ?? 0) / 1024), 0)
  return [
    'Package: svc',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${kibibytes}`,
    `Depends: ${depends}`,
    'Suggests: bash-completion, postgresql',
    'Section: utils',
    'Priority: optional',
    `Description: ${description}`,
    '',
  ].join('\n')
}

const md5 = (content: Buffer) => createHash('md5').update(content).digest('hex')

// Names inside of the package begin with ./, as dpkg writes them.
const toMember = (file: ArchiveFile): ArchiveFile => ({...file, name: `./${file.name}`})

export function writeDebianPackage(source: DebianSource): Buffer {
  const files = listFiles(source)
  const sums = files.map(({name, content = Buffer.alloc(0)}) => `${md5(content)}  ${name}\n`).toSorted()
  const control = [toFile('control', renderControl(source, files)), toFile('md5sums', sums.join(''))]
  const {epochSeconds} = source
  return writeAr(
    [
      {name: 'debian-binary', content: Buffer.from('2.0\n')},
      {name: 'control.tar.gz', content: writeTarGz(control.map(toMember), epochSeconds)},
      {name: 'data.tar.gz', content: writeTarGz(files.map(toMember), epochSeconds)},
    ],
    epochSeconds,
  )
}
