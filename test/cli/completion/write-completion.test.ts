// Writing the completion files by the built program.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {freshHome, spawnSvc} from '../../support/svc.ts'

it('writes whole files while other processes write them too', async () => {
  const home = freshHome()
  const cache = path.join(home.folder, 'cache')
  const runs = Array.from({length: 4}, () =>
    spawnSvc(home, ['autocomplete', 'bash', '--refresh-cache'], {env: {SVC_CACHE_DIR: cache}}),
  )
  for (const result of await Promise.all(runs)) expect(result).toMatchObject({code: 0})
  const folder = path.join(cache, 'autocomplete')
  expect(fs.readFileSync(path.join(folder, 'functions', 'bash', 'svc.bash'), 'utf8')).toContain('_svc_complete')
  expect(fs.readFileSync(path.join(folder, 'functions', 'zsh', '_svc'), 'utf8')).toContain('svc autocomplete values')
  expect(fs.readFileSync(path.join(folder, 'bash_setup'), 'utf8')).toContain('test -O')
})
