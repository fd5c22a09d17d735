// The package as a program imports it: the examples of docs/library.md are compiled strictly and run in a project outside of this
// tree, which finds the package in its node_modules.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {writeEntityTypes} from '../../scripts/entity-types.ts'
import {root} from '../support/svc.ts'

const page = fs.readFileSync(path.join(root, 'docs/library.md'), 'utf8')
const examples = [...page.matchAll(/```[jt]s file=(\S+)\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => ({
  name,
  code,
}))

function createFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-library-'))
  onTestFinished(() => fs.rmSync(folder, {recursive: true, force: true}))
  return folder
}

// Only what `npm install` of the tarball would put there.
function createProject(): string {
  const folder = createFolder()
  const packages = path.join(folder, 'node_modules')
  fs.mkdirSync(path.join(packages, 'svc'), {recursive: true})
  fs.mkdirSync(path.join(packages, '@types'))
  for (const name of ['package.json', 'dist']) fs.symlinkSync(path.join(root, name), path.join(packages, 'svc', name))
  fs.symlinkSync(path.join(root, 'node_modules/@types/node'), path.join(packages, '@types/node'))
  fs.symlinkSync(path.join(root, 'node_modules/undici-types'), path.join(packages, 'undici-types'))
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({name: 'outside', type: 'module'}))
  return folder
}

const run = (folder: string, command: string, args: string[]) => {
  const {status, stdout, stderr} = spawnSync(command, args, {cwd: folder, encoding: 'utf8'})
  return {status, output: stdout + stderr}
}

// With the resolution of `node16`, CommonJS may not require an ES module, so the types must say what the package is.
const compilerFlags =
  '--noEmit --strict --exactOptionalPropertyTypes --target es2024 --lib esnext --types node --module node16'.split(' ')

const compile = (folder: string, files: string[]) =>
  run(folder, path.join(root, 'node_modules/.bin/tsc'), [...compilerFlags, ...files])

const typedMain = `
  import {createSandbox} from 'svc/sandbox'
  import {SvcError, createClient, type Customer} from 'svc/client'
  const sandbox = createSandbox()
  export const isRefusal = (error: unknown) => error instanceof SvcError && error.kind === 'usage'
  export const client = createClient({baseUrl: 'https://api.example.com', credential: () => 'key'})
  export async function listFirst(): Promise<Customer | undefined> {
    const {customers} = await sandbox.client.customers.list({pageSize: 1})
    return customers[0]
  }
`

const plainMain = `
  const {createSandbox} = require('svc/sandbox')
  const {SvcError, createClient} = require('svc/client')
  const sandbox = createSandbox()
  try {
    createClient({baseUrl: 'http://example.com', credential: 'key'})
  } catch (error) {
    console.log(error instanceof SvcError, error.kind)
  }
  sandbox.client.customers.list({pageSize: 1}).then(({customers}) => console.log(customers.length))
`

describe('the library', () => {
  it('compiles strictly, and runs the examples of its documentation, from ES modules and from CommonJS', () => {
    expect(examples.map(({name}) => name)).toEqual(['payroll.test.ts', 'report.ts', 'hook.ts', 'contract.cjs'])
    const folder = createProject()
    for (const {name, code} of [
      ...examples,
      {name: 'main.cts', code: typedMain},
      {name: 'main.cjs', code: plainMain},
    ]) {
      fs.writeFileSync(path.join(folder, name), code)
    }
    const typed = fs.readdirSync(folder).filter((name) => /\.c?ts$/.test(name))
    expect(typed).toEqual(['hook.ts', 'main.cts', 'payroll.test.ts', 'report.ts'])
    expect(compile(folder, typed)).toEqual({status: 0, output: ''})
    const tested = run(folder, process.execPath, ['--test', '--test-reporter=tap', 'payroll.test.ts'])
    expect(tested.output).toContain('# pass 2')
    expect(run(folder, process.execPath, ['contract.cjs'])).toEqual({
      status: 0,
      output: '/quotes\nCUSTOMER\ntrue 3.1.0\nmust not be empty\n',
    })
    expect(run(folder, process.execPath, ['main.cjs'])).toEqual({status: 0, output: 'true usage\n1\n'})
  })

  it('has entity types that follow the contract', () => {
    const folder = createFolder()
    writeEntityTypes(folder)
    for (const name of fs.readdirSync(folder)) {
      const written = fs.readFileSync(path.join(root, 'src/library', name), 'utf8')
      expect(written, `${name}: run \`npm run entities\``).toBe(fs.readFileSync(path.join(folder, name), 'utf8'))
    }
    expect(fs.readdirSync(folder).toSorted()).toEqual(['bodies.ts', 'entities.ts', 'values.ts'])
  })
})
