// Words on the command line that svc does not take: the nearest one is named, and a secret is never repeated.
import {describe, expect, it} from 'vitest'
import {freshHome, run} from '../../support/svc.ts'

const secret = 'sk_ARGSECRET'

describe('A secret on the command line', () => {
  it.each([
    [['login', secret, '--base-url', 'http://127.0.0.1:1']],
    [['login', 'hunter2ARGSECRET']],
    [['login', `--api-key=${secret}`]],
    [['login', '--api-key', secret]],
    [['customers', 'list', secret]],
    [['customers', secret]],
    [[secret]],
  ])('is not repeated: %j', async (args) => {
    for (const env of [{}, {SVC_DEBUG: '1'}]) {
      const {code, out, err} = await run(freshHome(), args, {env})
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(err).not.toContain('ARGSECRET')
    }
  })

  it('after login gets the ways in which it is taken', async () => {
    const {err} = await run(freshHome(), ['login', secret])
    expect(err).toContain('Type it at the prompt, give it on standard input, or set SVC_API_KEY')
  })
})

describe('A flag that there is not', () => {
  it('gets the nearest one', async () => {
    const {err} = await run(freshHome(), ['customers', 'list', '--limt', '3'])
    expect(err).toBe('svc: There is no flag --limt. Did you mean --limit? `svc customers list --help` lists them.\n')
  })

  it('beside one that it excludes is refused without a lecture', async () => {
    const {err} = await run(freshHome(), ['customers', 'list', '--all', '--limit', '3'])
    expect(err).toMatch(/^svc: --limit=3 cannot also be provided when using --all\. /)
  })
})

describe('An id too many', () => {
  it('is repeated, since it is no secret', async () => {
    const id = '7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11'
    expect((await run(freshHome(), ['customers', 'list', id])).err).toContain(`Unexpected argument: ${id}`)
  })
})
