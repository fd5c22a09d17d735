// What svc offers for a command line that is being typed, in every shell.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {loadSurface} from '../../../scripts/surface.ts'
import {answerShell, createCompletionSource, splitLine} from '../../../src/cli/completion/complete.ts'
import {type Home, freshHome, root, run} from '../../support/svc.ts'
import {createProfilesHome} from './shells.ts'

const help = await (await loadSurface()).help()

// Without settings. The rest is as in svc.
const bareSource = {...createCompletionSource(help, {root}), readAliases: async () => ({})}

// The answer to a shell, line by line. Without a home, nothing of a user is read.
async function answer(asked: string[], home?: Home): Promise<string[]> {
  if (!home) return (await answerShell(asked, bareSource)).split('\n').slice(0, -1)
  const {code, out, err} = await run(home, ['autocomplete', 'complete', ...asked])
  expect({code, err}).toEqual({code: 0, err: ''})
  return out.split('\n').slice(0, -1)
}

// The last word is the one that is typed.
function ask(line: string, home?: Home, shell = 'powershell'): Promise<string[]> {
  const words = line.split(' ').slice(1)
  return answer([`--shell=${shell}`, `--current=${words.at(-1) ?? ''}`, '--', ...words.slice(0, -1)], home)
}

// The values alone, which begin with what is typed.
async function complete(line: string, home?: Home): Promise<string[]> {
  const [header, ...lines] = await ask(line, home)
  expect(header).toMatch(/^values\t/)
  return lines.map((each) => each.split('\t')[0] ?? '')
}

describe('completion', () => {
  it.each([
    ['svc cust', ['customers']],
    ['svc he', ['help']],
    ['svc profiles ', ['list', 'remove', 'set', 'show', 'use']],
    ['svc -p sandbox customers l', ['list']],
    ['svc -p sandbox cust', ['customers']],
    ['svc sandbox clock to', ['to-next']],
    ['svc balance w', ['watch']],
    ['svc -p sandbox balance w', ['watch']],
    ['svc customers -p sandbox l', []],
    ['svc help ex', ['exit-codes']],
    ['svc help customers l', ['list']],
    ['svc help pay --', ['--all']],
    ['svc customers list --pa', ['--page-size', '--page-token']],
    ['svc customers list --all --qu', ['--quiet']],
    ['svc customers list --all --al', []],
    ['svc api GET /customers --query a=1 --que', ['--query']],
    ['svc customers get 7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11 --pay', ['--payment-methods']],
    ['svc pay --guar', ['--guarantee']],
    ['svc pay --no-gu', ['--no-guarantee']],
    ['svc --prof', ['--profile']],
    ['svc --ver', ['--verbose', '--version']],
    ['svc -p sandbox --js', ['--json']],
    ['svc customers list --output js', ['json', 'jsonl']],
    ['svc customers list -o y', ['yaml']],
    ['svc customers list --output=js', ['json', 'jsonl']],
    ['svc sandbox fund x --currency US', ['USD', 'USDC', 'USDT']],
    ['svc sandbox accounts add --type SVC', ['SVC_AUTO_FIAT_ACCOUNT', 'SVC_CRYPTO_WALLET']],
    ['svc sandbox accounts add --method S', ['SEPA']],
    ['svc sandbox requests --method P', ['POST', 'PATCH', 'PUT']],
    ['svc codes DOC_', ['DOC_QUALITY_POOR']],
    ['svc api PA', ['PATCH']],
    ['svc autocomplete p', ['powershell']],
    ['svc docs pay', ['paying-once', 'payouts']],
    ['svc pay --slot-zone Europe/Berl', ['Europe/Berlin']],
    // The statuses of the noun that is listed, several of them behind commas, and none twice.
    ['svc customers list --status AC', ['ACTIVE']],
    ['svc customers list --status ACTIVE,RE', ['ACTIVE,REJECTED']],
    ['svc customers list --status=ACTIVE,A', []],
    ['svc transactions list --status FA', ['FAILED']],
    // The columns of the command's own table.
    ['svc customers list --columns na', ['name']],
    ['svc customers list --columns id,st', ['id,status']],
    ['svc alias list --columns c', ['command']],
    ['svc transactions list --sort st', ['status']],
    ['svc transactions list --sort -st', ['-status']],
    ['svc transactions list --sort status:d', ['status:desc']],
    // No values: text, a number, an address, a second argument, or a command that does not exist.
    ['svc customers list --limit ', []],
    ['svc journal copy --to ', []],
    ['svc codes DOC_QUALITY_POOR ', []],
    ['svc weather ', []],
    ['svc customers list -- --out', []],
  ])('completes "%s" to %j', async (line, values) => {
    expect(await complete(line)).toEqual(values)
  })

  it.each([
    ['svc pay --file ', 'files\t'],
    ['svc pay --file=pl', 'files\t--file='],
    ['svc journal copy --from ', 'files\t'],
    ['svc payouts run ', 'files\t'],
    ['svc approve ', 'files\t'],
  ])('lets the shell complete files for "%s"', async (line, expected) => {
    expect(await ask(line)).toEqual([expected])
  })

  it('says what commands, flags and aliases are for', async () => {
    expect(await ask('svc profiles us')).toEqual(['values\t', 'use\tSwitch to another profile'])
    expect(await ask('svc customers list --js')).toEqual(['values\t', '--json\tThe same as --output json'])
    expect(await ask('svc customers list --output=y')).toEqual(['values\t--output=', 'yaml\t'])
    expect(await ask('svc balanc')).toEqual(['values\t', 'balance\tShow and watch the money in a customer’s wallets'])
  })

  it('gives zsh and fish all values, since they choose by themselves', async () => {
    for (const shell of ['zsh', 'fish'])
      expect(await ask('svc profiles us', undefined, shell)).toContain('list\tList profiles')
  })

  it('offers no hidden command', async () => {
    expect(await complete('svc star')).toEqual([])
    expect(await complete('svc autocomplete comp')).toEqual([])
  })

  it.each(['svc customers list --profile ', 'svc whoami -p ', 'svc -p ', 'svc doctor --profile=', 'svc profiles use '])(
    'completes "%s" to the current profiles, without names that a shell would run',
    async (line) => {
      expect(await complete(line, createProfilesHome())).toEqual(['acme', 'acme-live', 'sandbox'])
    },
  )

  it('offers aliases, and completes one like the command that it stands for', async () => {
    const home = freshHome()
    await run(home, ['alias', 'set', 'waiting', 'customers list --status $1'])
    expect(await ask('svc wait', home)).toEqual(['values\t', 'waiting\tsvc customers list --status $1'])
    expect(await complete('svc waiting ACTIVE --col', home)).toEqual(['--columns'])
    expect(await complete('svc alias delete ', home)).toEqual(['waiting'])
  })

  it('completes ids that were shown before, of the profile that is meant', async () => {
    const home = createProfilesHome()
    const ids = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'ids')
    fs.mkdirSync(ids, {recursive: true})
    const seen = {customers: ['4738020a-a06d', '7b0c9a52-3f64'], accounts: ['64fbd491-4b09'], rules: ['rule_5f2c']}
    fs.writeFileSync(path.join(ids, 'sandbox.json'), JSON.stringify(seen))
    expect(await complete('svc -p sandbox customers get 47', home)).toEqual(['4738020a-a06d'])
    expect(await complete('svc pay --profile sandbox --from 6', home)).toEqual(['64fbd491-4b09'])
    expect(await complete('svc pay --profile=sandbox --from=6', home)).toEqual(['64fbd491-4b09'])
    expect(await complete('svc -p acme customers get 47', home)).toEqual([])
    expect(await complete('svc sandbox verify 7', home)).toEqual(['7b0c9a52-3f64'])
  })

  it('offers what is not in the settings if they are damaged', async () => {
    const home = createProfilesHome()
    fs.writeFileSync(path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json'), '{')
    expect(await complete('svc whoami -p a', home)).toEqual([])
    expect(await complete('svc who', home)).toEqual(['whoami'])
  })
})

describe('the line that bash passes', () => {
  it.each([
    ['svc cus', ['svc', 'cus']],
    ['svc  a ', ['svc', 'a', '']],
    [`svc 'a b' "c\\" d`, ['svc', 'a b', 'c\\" d']],
    ['svc a\\ b', ['svc', 'a b']],
    ['', ['']],
  ])('is split as a shell does: %s', (line, words) => {
    expect(splitLine(line)).toEqual(words)
  })

  // Bash starts a word behind = and behind a colon.
  it.each([
    ['svc customers list --output=js', 'js', ['json', 'jsonl']],
    ['svc customers list --output=', '', ['table', 'json', 'jsonl', 'csv', 'yaml']],
    ['svc transactions list --sort status:d', 'd', ['desc']],
    ['svc transactions list --sort status:', '', ['asc', 'desc']],
    ['A=1 svc cust', 'cust', ['customers']],
    ['svc profiles "us', '"us', ['use']],
  ])('completes the part of %s that bash replaces', async (line, word, values) => {
    const lines = await answer(['--shell=bash', `--word=${word}`, `--line=${line}`])
    expect(lines.slice(1)).toEqual(values)
  })
})
