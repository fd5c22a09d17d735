// What the bundle leaves out of its dependencies: machinery for cases that svc does not have, which costs every start.
import type {Plugin} from 'rolldown'

interface Omission {
  // What is asked for: a package by name, or a file of one by the end of its path.
  module: string | RegExp
  why: string
  // Who gets it all the same.
  except?: RegExp
  // What stands in its place.
  source: string
}

const unused = (names: string) =>
  names
    .split(' ')
    .map((name) => `export const ${name} = undefined`)
    .join('\n')

const omissions: Omission[] = [
  {
    module: 'tinyglobby',
    why: 'commands are known when svc is built; none is looked for on disk',
    source: unused('glob'),
  },
  {module: 'minimatch', why: 'it filters plugin names, and there are no plugins', source: unused('minimatch')},
  {
    module: 'lilconfig',
    why: 'it looks for settings of oclif, which are in the bundle',
    source: unused('lilconfig lilconfigSync'),
  },
  {
    module: 'ejs',
    why: 'no text of svc is a template',
    source: 'export const render = (text) => text; export default {render}',
  },
  {
    module: 'wsl-utils',
    why: 'it reads files at every start to name a platform that svc treats as Linux',
    // A browser is opened another way there, and not at every start.
    except: /node_modules\/open\//,
    source: 'export const isWsl = false; export const powerShellPath = async () => "powershell.exe"',
  },
  {module: /@oclif\/core\/lib\/config\/ts-path\.js$/, why: 'the bundle holds no TypeScript', source: unused('tsPath')},
  {
    module: /@oclif\/core\/lib\/help\/index\.js$/,
    why: 'svc renders its own help',
    source: unused('Help loadHelpClass'),
  },
  {
    module: 'cli-spinners',
    why: 'ninety spinners, of which one is used',
    source: 'const dots = {interval: 80, frames: [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"]}; export default new Proxy({}, {get: () => dots})',
  },
  {
    module: 'ajv/dist/2020.js',
    why: 'conf validates only where it is given a schema; svc judges its own files',
    source: unused('Ajv2020'),
  },
  {module: 'ajv-formats', why: 'the same', source: 'export default undefined'},
  {
    module: 'semver',
    why: 'conf needs it for migrations, oclif for its plugins; svc has neither',
    source: 'export default {}',
  },
]

export const slim: Plugin = {
  name: 'slim',
  async resolveId(id, importer, options) {
    for (const [index, {module, except}] of omissions.entries()) {
      if (importer && except?.test(importer.replaceAll('\\', '/'))) continue
      if (typeof module === 'string' && id === module) return `\0slim:${index}`
      if (module instanceof RegExp) {
        const resolved = await this.resolve(id, importer, {...options, skipSelf: true})
        if (resolved && module.test(resolved.id)) return `\0slim:${index}`
      }
    }
    return null
  },
  load: (id) => (id.startsWith('\0slim:') ? (omissions[Number(id.slice('\0slim:'.length))]?.source ?? null) : null),
}
