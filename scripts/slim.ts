// Leaves parts of dependencies out of the bundle that svc never uses, because they would slow down every start.
import type {Plugin} from 'rolldown'

interface Omission {
  // The imported package by name, or a file of a package by the end of its path.
  module: string | RegExp
  why: string
  // Importers that still get the real module.
  except?: RegExp
  // The source that replaces it.
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
    why: 'the commands are known when svc is built, so none are searched on disk',
    source: unused('glob'),
  },
  {module: 'minimatch', why: 'it filters plugin names, and there are no plugins', source: unused('minimatch')},
  {
    module: 'lilconfig',
    why: 'it searches for settings of oclif, which are in the bundle',
    source: unused('lilconfig lilconfigSync'),
  },
  {
    module: 'ejs',
    why: 'svc has no templates',
    source: 'export const render = (text) => text; export default {render}',
  },
  {
    module: 'wsl-utils',
    why: 'it reads files at every start to name a platform that svc treats as Linux',
    // The package that opens a browser needs it, and is not loaded at every start.
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
    module: /@oclif\/core\/lib\/logger\.js$/,
    why: 'it logs what oclif does, and SVC_DEBUG is for what svc does',
    source: `
      const log = () => {}
      const logger = {child: () => logger, debug: log, error: log, info: log, namespace: 'oclif', trace: log, warn: log}
      export const getLogger = () => logger
      export const makeDebug = () => log
      export const setLogger = log
      export const clearLoggers = log`,
  },
  {module: '@oclif/core/package.json', why: 'oclif logs its own version', source: "export const version = ''"},
  {
    module: 'cli-spinners',
    why: 'it has ninety spinners, and svc uses one',
    source: 'const dots = {interval: 80, frames: [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"]}; export default new Proxy({}, {get: () => dots})',
  },
  {
    module: 'ajv/dist/2020.js',
    why: 'conf uses it only with a schema; svc validates its own files',
    source: unused('Ajv2020'),
  },
  {module: 'ajv-formats', why: 'the same', source: 'export default undefined'},
  {
    module: 'semver',
    why: 'conf needs it for migrations, oclif for plugins; svc uses neither',
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
