// Writes the bill of materials as CycloneDX: what npm says about the lockfile, limited to what is in the program or is installed
// with it.
import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type {BundledPackage} from '../bundled-packages.ts'
import {readPackage, root} from '../surface.ts'
import {nodeVersion} from './platforms.ts'

interface Component {
  name: string
  version: string
  'bom-ref': string
  scope?: string
  properties?: {name: string; value: string}[]
  [field: string]: unknown
}

interface Bom {
  metadata: {timestamp: string; component: Component; [field: string]: unknown}
  components: Component[]
  dependencies: {ref: string; dependsOn?: string[]}[]
  serialNumber: string
  [field: string]: unknown
}

const developmentProperty = 'cdx:npm:package:development'

const isDevelopment = ({properties = []}: Component) => properties.some(({name}) => name === developmentProperty)

// A package of the bundle is part of the program, though npm installs it for the developers alone.
const toBundled = ({properties = [], ...component}: Component): Component => ({
  ...component,
  scope: 'required',
  properties: [...properties.filter(({name}) => name !== developmentProperty), {name: 'svc:bundled', value: 'true'}],
})

const node: Component = {
  'bom-ref': `node@${nodeVersion}`,
  type: 'platform',
  name: 'node',
  version: nodeVersion,
  purl: `pkg:generic/node@${nodeVersion}`,
  scope: 'required',
  properties: [{name: 'svc:in', value: 'executables'}],
}

const compareRefs = (a: Component, b: Component) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)

function toUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

// The number and the date are derived, so that equal contents have equal bills.
export function writeBillOfMaterials(epochSeconds: number): string {
  const flags = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const options = {cwd: root, maxBuffer: 64 * 1024 * 1024, env: {...process.env, npm_config_loglevel: 'error'}}
  const bom = JSON.parse(execFileSync('npm', flags, options).toString()) as Bom
  const listed = JSON.parse(fs.readFileSync(path.join(root, 'dist/packages.json'), 'utf8')) as BundledPackage[]
  const bundled = new Set(listed.map(({name, version}) => `${name}@${version}`))
  const isBundled = (component: Component) => bundled.has(`${component.name}@${component.version}`)
  const components = bom.components
    .filter((component) => isBundled(component) || !isDevelopment(component))
    .map((component) => (isBundled(component) ? toBundled(component) : component))
  const all = [...components, node].toSorted(compareRefs)
  const known = new Set([bom.metadata.component['bom-ref'], ...all.map((component) => component['bom-ref'])])
  const dependencies = bom.dependencies
    .filter(({ref}) => known.has(ref))
    .map(({ref, dependsOn = []}) => ({ref, dependsOn: dependsOn.filter((other) => known.has(other)).toSorted()}))
    .toSorted((a, b) => (a.ref < b.ref ? -1 : 1))
  const timestamp = new Date(epochSeconds * 1000).toISOString()
  // npm names the folder in place of the package.
  const component = {...bom.metadata.component, name: readPackage().name}
  const metadata = {...bom.metadata, timestamp, component}
  const content = {...bom, metadata, components: all, dependencies}
  const serialNumber = `urn:uuid:${toUuid(JSON.stringify({...content, serialNumber: ''}))}`
  return `${JSON.stringify({...content, serialNumber}, null, 2)}\n`
}
