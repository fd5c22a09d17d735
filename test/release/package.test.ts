// The tarball: installed like a user would, globally and in a project, it runs on a supported Node, and rejects an old Node in
// one sentence.
import {execFile, execFileSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {promisify} from 'node:util'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {packForNpm} from '../../scripts/package/npm-package.ts'
import {addNodeTypes, compile, plainMain, readExamples, runProgram, typedMain} from '../support/outside-project.ts'
import {bin, freshHome, root} from '../support/svc.ts'

const execute = promisify(execFile)

// A Node that is too old, if this machine has one.
function oldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => !folder.includes('node_modules'))
  return folders
    .map((folder) => path.join(folder, 'node'))
    .filter((file) => fs.existsSync(file))
    .find((file) => Number(execFileSync(file, ['-p', 'process.versions.node.split(".")[0]']).toString()) < 24)
}

// Everything but the optional dependencies is in the bundle, so npm needs neither a registry nor its cache.
const installFlags = ['--offline', '--no-audit', '--no-fund']

let folder = ''
let tarball = ''

function npm(cwd: string, ...args: string[]) {
  const env = {...process.env, npm_config_loglevel: 'warn', npm_config_cache: path.join(folder, 'cache')}
  return execute('npm', args, {cwd, env})
}

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-package-'))
  tarball = path.join(folder, packForNpm(path.join(folder, 'staged'), folder))
})

afterAll(() => fs.rmSync(folder, {recursive: true, force: true}))

describe('the package', () => {
  it('installs globally from its tarball and runs', async () => {
    await npm(folder, 'install', '--global', ...installFlags, '--prefix', folder, tarball)
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
  })

  it('is compiled strictly and run in a project outside, from ES modules and from CommonJS', async () => {
    const project = path.join(folder, 'project')
    fs.mkdirSync(project)
    fs.writeFileSync(path.join(project, 'package.json'), JSON.stringify({name: 'outside', type: 'module'}))
    const {stderr} = await npm(project, 'install', ...installFlags, tarball)
    // Other warnings are about the settings of npm on this machine.
    expect(stderr).not.toContain('svc@')
    expect(fs.readdirSync(path.join(project, 'node_modules')).toSorted()).toEqual(['.bin', '.package-lock.json', 'svc'])
    addNodeTypes(project)
    const examples = readExamples()
    expect(examples.map(({name}) => name)).toEqual(['payroll.test.ts', 'report.ts', 'hook.ts', 'contract.cjs'])
    const programs = [...examples, {name: 'main.cts', code: typedMain}, {name: 'main.cjs', code: plainMain}]
    for (const {name, code} of programs) fs.writeFileSync(path.join(project, name), code)
    const typed = fs.readdirSync(project).filter((name) => /\.c?ts$/.test(name))
    expect(typed).toEqual(['hook.ts', 'main.cts', 'payroll.test.ts', 'report.ts'])
    expect(compile(project, typed)).toEqual({status: 0, output: ''})
    const test = (name: string) => runProgram(project, process.execPath, ['--test', '--test-reporter=tap', name]).output
    expect(test('payroll.test.ts')).toContain('# pass 2')
    const node = (name: string) => runProgram(project, process.execPath, [name])
    expect(node('contract.cjs')).toEqual({status: 0, output: '/quotes\nCUSTOMER\ntrue 3.1.0\nmust not be empty\n'})
    expect(node('main.cjs')).toEqual({status: 0, output: 'true usage\n1\n'})
    expect(runProgram(project, 'node_modules/.bin/svc', ['--version']).output).toMatch(/^svc\/\d/)
  })

  it('has no dependencies but the optional ones, and nothing that only the project needs', () => {
    const packed = execFileSync('tar', ['-xzOf', tarball, 'package/package.json']).toString()
    const {dependencies, optionalDependencies, devDependencies, scripts} = JSON.parse(packed) as Record<string, unknown>
    expect({dependencies, devDependencies, scripts}).toEqual({})
    expect(Object.keys(optionalDependencies as object)).toEqual(['@napi-rs/keyring'])
  })

  it('contains only what is needed to run, types, and the documentation that it shows', () => {
    const files = execFileSync('tar', ['-tzf', tarball])
      .toString()
      .trimEnd()
      .split('\n')
      .map((file) => file.replace(/^package\//, ''))
    const others = files.filter((file) => !/^(bin|dist)\//.test(file))
    const pages = fs.globSync('docs/**/*.{md,png,svg}', {cwd: root})
    expect(others.toSorted()).toEqual([...pages, 'README.md', 'oclif.manifest.json', 'package.json'].toSorted())
    for (const name of ['dist/library/types/library/sandbox.d.cts', 'dist/licenses.txt']) {
      expect(files).toContain(name)
    }
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
