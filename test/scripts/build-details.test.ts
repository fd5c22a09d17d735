// What `svc --version --json` says about the build.
import {expect, it, onTestFinished} from 'vitest'
import {describeBuild, getSourceEpochSeconds} from '../../scripts/build-details.ts'

it('has the version, the commit and the date of the commit', () => {
  const {version, commit, date} = describeBuild()
  expect(version).toMatch(/^\d+\.\d+\.\d+/)
  if (commit !== null) expect(commit).toMatch(/^[\da-f]{40}(-dirty)?$/)
  if (date !== null) expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
})

it('takes the date from SOURCE_DATE_EPOCH, as builders of packages set it', () => {
  const before = process.env['SOURCE_DATE_EPOCH']
  onTestFinished(() => {
    if (before === undefined) delete process.env['SOURCE_DATE_EPOCH']
    else process.env['SOURCE_DATE_EPOCH'] = before
  })
  process.env['SOURCE_DATE_EPOCH'] = '1700000000'
  expect(getSourceEpochSeconds()).toBe(1_700_000_000)
  expect(describeBuild().date).toBe('2023-11-14T22:13:20Z')
})
