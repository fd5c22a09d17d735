// What an installation has besides the program: manual pages, completions, licences.
import fs from 'node:fs'
import path from 'node:path'
import {gzipSync} from 'node:zlib'
import {root} from '../surface.ts'
import {readNodeLicense} from './platforms.ts'
import type {ArchiveFile} from './tar.ts'

const fileMode = 0o644

export const toFile = (name: string, content: string | Buffer): ArchiveFile => ({
  name,
  content: Buffer.from(content),
  mode: fileMode,
})

const readFolder = (folder: string) =>
  fs
    .globSync('*', {cwd: path.join(root, folder)})
    .toSorted()
    .map((name) => toFile(name, fs.readFileSync(path.join(root, folder, name))))

const moveTo = (folder: string, files: readonly ArchiveFile[]) =>
  files.map((file) => ({...file, name: `${folder}/${file.name}`}))

export const listManualPages = (folder: string) => moveTo(folder, readFolder('dist/man/man1'))

// Each script has the name by which its shell finds it: svc.bash, _svc, svc.fish, svc.ps1.
export const listCompletions = (folder: string) => moveTo(folder, readFolder('dist/completions'))

export const compress = ({name, content = Buffer.alloc(0), mode}: ArchiveFile): ArchiveFile => ({
  name: `${name}.gz`,
  content: gzipSync(content, {level: 9}),
  mode,
})

// The executable contains Node and the packages of the bundle.
export const renderLicenses = () =>
  `The executable contains Node.js, whose licence is:\n\n${readNodeLicense()}\n\nIt also contains these packages:\n\n${fs.readFileSync(path.join(root, 'dist/licenses.txt'), 'utf8')}`
