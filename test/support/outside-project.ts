// A project outside of this tree that has installed the tarball of svc: its programs are compiled strictly, and run.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {root} from './svc.ts'

// The examples of docs/library.md, each with the name of its file.
export function readExamples(): {name: string; code: string}[] {
  const page = fs.readFileSync(path.join(root, 'docs/library.md'), 'utf8')
  return [...page.matchAll(/```[jt]s file=(\S+)\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => ({name, code}))
}

export const typedMain = `
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

export const plainMain = `
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

const modules = ['@types/node', 'undici-types']

// Node's own types are what a project in TypeScript has besides.
export function addNodeTypes(folder: string): void {
  for (const name of modules) {
    const link = path.join(folder, 'node_modules', name)
    fs.mkdirSync(path.dirname(link), {recursive: true})
    fs.symlinkSync(path.join(root, 'node_modules', name), link)
  }
}

export function runProgram(
  folder: string,
  command: string,
  args: readonly string[],
): {status: number | null; output: string} {
  const {status, stdout, stderr} = spawnSync(command, args, {cwd: folder, encoding: 'utf8'})
  return {status, output: stdout + stderr}
}

// With the resolution of `node16`, CommonJS may not require an ES module, so the types must say what the package is.
const compilerFlags =
  '--noEmit --strict --exactOptionalPropertyTypes --target es2024 --lib esnext --types node --module node16'.split(' ')

export const compile = (folder: string, files: readonly string[]) =>
  runProgram(folder, path.join(root, 'node_modules/.bin/tsc'), [...compilerFlags, ...files])
