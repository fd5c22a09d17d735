// svc alias: short names for commands, in a terminal, in a pipe, as JSON, and what is refused.
import {describe, expect, it} from 'vitest'
import {fillPlaceholders, splitWords} from '../../src/cli/aliases.ts'
import {type Home, freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

const set = (home: Home, ...args: string[]) => run(home, ['alias', 'set', ...args])

describe('svc alias', () => {
  it('gives a command a short name with places for arguments; the others follow at the end', async () => {
    const home = freshHome()
    expect(await set(home, 'by-status', 'customers list --status $1 -p sandbox')).toMatchObject({code: 0, err: ''})
    const {code, out} = await run(home, ['by-status', 'REJECTED', '--json'])
    expect(code).toBe(0)
    const statuses = (json(out)['customers'] as Array<{customerStatus: string}>).map((each) => each.customerStatus)
    expect(new Set(statuses)).toEqual(new Set(['REJECTED']))
    // A global flag may come first, and help is that of the command.
    expect((await run(home, ['--json', 'by-status', 'REJECTED'])).out).toBe(out)
    expect((await run(home, ['by-status', '--help'])).out).toContain('svc customers list')
    const missing = await run(home, ['by-status'])
    expect(missing).toMatchObject({code: 2, out: ''})
    expect(missing.err).toBe(
      'svc: The alias by-status needs 1 argument, and got 0. It stands for `svc customers list --status $1 -p sandbox`; nothing was sent.\n',
    )
    expect((await run(home, ['by-status', '--json'])).err).toContain('needs 1 argument before its flags')
  })

  it('may stand for a topic, and is listed and deleted', async () => {
    const home = freshHome()
    await set(home, 'tx', 'svc transactions')
    await set(home, 'ab', "customers list --columns 'name,email'")
    expect((await run(home, ['tx', 'list', '-p', 'sandbox'])).out).toContain('COMPLETED')
    const screen = onTerminal(home, ['alias', 'list'])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(
      /^NAME +STANDS FOR\nab +svc customers list --columns 'name,email'\ntx +svc transactions\n/,
    )
    expect(json((await run(home, ['alias', 'list', '--json'])).out)).toEqual({
      aliases: [
        {name: 'ab', expansion: "customers list --columns 'name,email'"},
        {name: 'tx', expansion: 'transactions'},
      ],
    })
    expect((await run(home, ['alias', 'delete', 'tx'])).out).toBe(
      'Deleted the alias tx, which stood for `svc transactions`.\n',
    )
    expect(await run(home, ['tx', 'list'])).toMatchObject({code: 2, out: ''})
    expect(await run(home, ['alias', 'delete', 'tx'])).toMatchObject({code: 2, out: ''})
    expect((await run(home, ['alias', 'delete', 'constructor'])).code).toBe(2)
  })

  it('is replaced only with --replace', async () => {
    const home = freshHome()
    await set(home, 'tx', 'transactions')
    expect(await set(home, 'tx', 'transactions')).toMatchObject({code: 0})
    const {code, err} = await set(home, 'tx', 'transactions list')
    expect({code, err}).toMatchObject({
      code: 2,
      err: expect.stringContaining('stands for `svc transactions`') as string,
    })
    expect((await set(home, 'tx', 'transactions list', '--replace')).err).toBe(
      'It stood for `svc transactions` before.\n',
    )
  })

  it.each([
    ['a command', 'pay', 'customers list', 'is a command of svc'],
    ['a topic', 'customers', 'accounts list', 'is a command of svc'],
    ['help', 'help', 'accounts list', 'is a command of svc'],
    ['a word with blanks', 'two words', 'accounts list', 'cannot name an alias'],
    ['a flag', '_x', 'accounts list', 'cannot name an alias'],
  ])('is not called like %s', async (_, name, command, problem) => {
    const {code, out, err} = await set(freshHome(), name, command)
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(problem)
  })

  it.each([
    ['a shell command', '!rm -rf /', 'cannot run a shell'],
    ['another alias', 'tx list', 'stands for "tx", which is no command'],
    ['the command that makes aliases', 'alias set x y', 'which is no command'],
    ['flags alone', ' --json', 'stands for no command'],
    ['nothing', ' ', 'stands for no command'],
    ['an open quote', "customers list --columns 'name", 'never closed'],
    ['$0', 'customers list $0', '$0 stands for nothing'],
    ['two lines', 'customers list\npay', 'one line of text'],
  ])('does not stand for %s', async (_, command, problem) => {
    const home = freshHome()
    await set(home, 'tx', 'transactions')
    const {code, out, err} = await set(home, 'x', command)
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(problem)
  })

  it('never replaces a command, even if one of its name is in the settings', async () => {
    const home = freshHome()
    await set(home, 'tx', 'transactions')
    const {default: fs} = await import('node:fs')
    const file = `${home.env['SVC_CONFIG_DIR']}/config.json`
    const settings = json(fs.readFileSync(file, 'utf8'))
    const aliases = {codes: 'customers list', again: 'again', loop: 'tx list'}
    fs.writeFileSync(file, JSON.stringify({...settings, aliases}))
    expect((await run(home, ['codes', 'DOC_QUALITY_POOR'])).out).toContain('DOC_QUALITY_POOR')
    // It is expanded once.
    for (const name of ['again', 'loop']) expect(await run(home, [name])).toMatchObject({code: 2, out: ''})
  })
})

describe('the words of an alias', () => {
  it('are those that a shell would see, and an argument stays one word', () => {
    expect(splitWords(String.raw`a  'b c' "d \"e\"" f\ g h'i'"j" ''`)).toEqual(['a', 'b c', 'd "e"', 'f g', 'hij', ''])
    expect(fillPlaceholders('x', 'api GET /a/$1 --set "b=$2 $2" $$1', ['one; rm *', "it's", '-v'])).toEqual([
      'api',
      'GET',
      '/a/one; rm *',
      '--set',
      "b=it's it's",
      '$1',
      '-v',
    ])
  })
})
