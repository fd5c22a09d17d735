// The tarball: installed globally like a user would, it runs on a supported Node, and rejects an old Node in one sentence.
import {execFile, execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, it} from 'vitest'
import {bin, freshHome, root, temporaryFolder} from '../support/svc.ts'

const execute = promisify(execFile)

// A Node that is too old, if this machine has one.
function oldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => !folder.includes('node_modules'))
  return folders
    .map((folder) => path.join(folder, 'node'))
    .filter((file) => fs.existsSync(file))
    .find((file) => Number(execFileSync(file, ['-p', 'process.versions.node.split(".")[0]']).toString()) < 24)
}

// Everything but the optional dependencies is in the bundle, so npm needs no registry.
const installFlags = ['--global', '--omit=optional', '--offline', '--no-audit', '--no-fund']
const installMaxMs = 120_000

describe('the package', () => {
  it(
    'installs globally from its tarball and runs',
    async () => {
      const folder = temporaryFolder()
      const npm = (...args: string[]) =>
        execute('npm', args, {cwd: root, env: {...process.env, npm_config_loglevel: 'error'}})
      const {stdout} = await npm('pack', '--silent', '--ignore-scripts', '--pack-destination', folder)
      await npm('install', ...installFlags, '--prefix', folder, path.join(folder, stdout.trim()))
      const {env} = freshHome()
      const installed = (...args: string[]) => execute(path.join(folder, 'bin/svc'), args, {env, cwd: folder})
      expect((await installed('--version')).stdout).toMatch(/^svc\/\d+\.\d+\.\d+ \S+ node-v\d+/)
      const built = JSON.parse(fs.readFileSync(path.join(root, 'dist/build.json'), 'utf8')) as object
      const details = {...built, node: process.versions.node, platform: `${process.platform}-${process.arch}`}
      for (const words of [
        ['--version', '--json'],
        ['--json', '-v'],
      ]) {
        expect(JSON.parse((await installed(...words)).stdout)).toEqual(details)
      }
      const listed = await installed('customers', 'list', '-p', 'sandbox', '--all', '--json')
      expect((JSON.parse(listed.stdout) as {customers: unknown[]}).customers).toHaveLength(24)
    },
    installMaxMs,
  )

  it('contains only what is needed to run, and the documentation that it shows', async () => {
    const {stdout} = await execute('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {cwd: root})
    const report = JSON.parse(stdout) as unknown
    const [packed] = (Array.isArray(report) ? report : Object.values(report as object)) as Array<{
      files: Array<{path: string}>
    }>
    const others = packed?.files.map((file) => file.path).filter((file) => !/^(bin|dist)\//.test(file))
    const pages = fs.globSync('docs/**/*.{md,png,svg}', {cwd: root})
    expect(others?.toSorted()).toEqual([...pages, 'README.md', 'oclif.manifest.json', 'package.json'].toSorted())
  })

  it('says in one sentence that Node is too old, and ends with 2', async () => {
    // Without an old Node, one that claims to be old is used: the check reads only the version.
    const old = oldNode()
    const claim = 'Object.defineProperty(process.versions, "node", {value: "20.20.2"})'
    const [file, args] = old
      ? [old, [bin, 'customers', 'list']]
      : [process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(claim)}`, bin, 'customers', 'list']]
    const ended = await execute(file, args, {env: freshHome().env}).catch((error: unknown) => error)
    expect(ended).toMatchObject({code: 2, stdout: ''})
    expect((ended as {stderr: string}).stderr).toMatch(
      /^svc: This is Node \S+, and svc needs Node 24\.5 or newer\. [^\n]+\n$/,
    )
  })
})
