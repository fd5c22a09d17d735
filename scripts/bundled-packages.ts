// Records which packages are in the bundles, for the licences that svc has to name.
import fs from 'node:fs'
import path from 'node:path'
import type {Plugin} from 'rolldown'
import {root} from './surface.ts'

interface BundledPackage {
  name: string
  version: string
  license: string
  // As its authors wrote it.
  text: string
}

// The folder of the package that a module belongs to, inside of the project.
const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/

interface PackageRecorder {
  plugin: Plugin
  renderLicenses: () => string
}

const licenseFile = /^(licen[cs]e|copying)/i
const separator = `\n${'-'.repeat(80)}\n\n`

export function createPackageRecorder(): PackageRecorder {
  const folders = new Set<string>()
  const plugin: Plugin = {
    name: 'bundled-packages',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      for (const module of modules) {
        const [folder] = packageFolder.exec(module.replaceAll('\\', '/')) ?? []
        // Modules that a plugin made up begin with a zero byte.
        if (folder !== undefined && !module.startsWith('\0')) folders.add(folder)
      }
    },
  }
  return {
    plugin,
    renderLicenses: () =>
      [...folders]
        .map(readPackageFolder)
        .toSorted((a, b) => (toSortKey(a) < toSortKey(b) ? -1 : 1))
        .map(({name, version, license, text}) => `${name} ${version} (${license})\n\n${text}`)
        .join(separator),
  }
}

const toSortKey = ({name, version}: BundledPackage) => `${name}@${version}`

function readPackageFolder(name: string): BundledPackage {
  const folder = path.resolve(root, name)
  const described = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as BundledPackage
  const texts = fs
    .readdirSync(folder)
    .filter((file) => licenseFile.test(file))
    .toSorted()
    .map((file) => fs.readFileSync(path.join(folder, file), 'utf8').trim())
  return {...described, text: `${texts.join('\n\n')}\n`}
}
