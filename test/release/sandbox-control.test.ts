// Runs the examples of docs/sandbox-control.md, exactly as they are on the page, and compares its tables with the code.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, it} from 'vitest'
import {renderControlDocs} from '../../scripts/docs.ts'
import {serveTemporary} from '../sandbox/http/serving.ts'
import {expectsProgram} from '../support/programs.ts'
import {root, temporaryFolder} from '../support/svc.ts'

const execute = promisify(execFile)
const page = fs.readFileSync(path.join(root, 'docs/sandbox-control.md'), 'utf8')

// The folder has what the page has written there by then.
async function prepareExample(name: string) {
  const folder = temporaryFolder()
  const [, code = ''] = new RegExp(`\`\`\`\\w+ file=${name}\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  expect(code).not.toBe('')
  const {url, apiKey, control} = await serveTemporary()
  const {controlUrl, controlToken, controlOpenapiUrl} = control
  const ready = {url, apiKey, controlUrl, controlToken, controlOpenapiUrl}
  fs.writeFileSync(path.join(folder, name), code)
  fs.writeFileSync(path.join(folder, 'ready.json'), JSON.stringify(ready))
  // Without the proxy of this machine, if it has one.
  return {options: {cwd: folder, env: {PATH: process.env['PATH'], HOME: folder}}}
}

describe('docs/sandbox-control.md', () => {
  it.skipIf(!expectsProgram('python3'))('drives the sandbox from Python, with nothing but urllib', async () => {
    const {options} = await prepareExample('test_customers.py')
    const imports = [...page.matchAll(/^(?:import|from) (\S+)/gm)].map(([, name]) => name)
    expect(imports).toEqual(['json', 'unittest', 'urllib.error', 'urllib.parse', 'urllib.request'])
    const {stdout, stderr} = await execute('python3', ['-W', 'error', 'test_customers.py'], options)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^\.{3}\n-+\nRan 3 tests in [\d.]+s\n\nOK\n$/)
  })

  it.skipIf(!expectsProgram('curl') || !expectsProgram('jq'))('drives the sandbox with curl', async () => {
    const {options} = await prepareExample('control.sh')
    const {stdout, stderr} = await execute('bash', ['-eu', 'control.sh'], options)
    expect(stderr).toBe('')
    expect(stdout).toBe('true\n2031-01-01T00:05:00.000Z\nlose\n[]\n')
  })

  it('lists every endpoint with its fields, and every error; `npm run docs` writes them anew', () => {
    expect(page).toBe(renderControlDocs(page))
  })
})
