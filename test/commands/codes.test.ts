// svc codes: on a terminal, in a pipe, as JSON, and with an unknown code.
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

describe('svc codes', () => {
  it('lists every code on a terminal, without a profile', async () => {
    const screen = onTerminal(freshHome(), ['codes'])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY')
    expect(
      screen
        .text()
        .split('\n')
        .filter((line) => /^CODE +[A-Z_]{6,}$/.test(line)),
    ).toHaveLength(60)
  })

  it('lists them completely in a pipe', async () => {
    const {code, out, err} = await run(freshHome(), ['codes'])
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out.trimEnd().split('\n')).toHaveLength(61)
    expect(out).toMatch(
      /^DOC_QUALITY_POOR +customer +DOCUMENT +The image of the document is too poor to check +Upload clear/m,
    )
  })

  it('prints groups, resolutions, fields and resolvers as JSON', async () => {
    const {out} = await run(freshHome(), ['codes', 'doc_quality_poor', '--json'])
    expect(json(out)).toEqual({
      code: 'DOC_QUALITY_POOR',
      group: 'DOCUMENT',
      meaning: 'The image of the document is too poor to check',
      resolution: 'Upload clear, valid documents',
      resolver: 'CUSTOMER',
      fields: ['documents.frontIdImage', 'documents.backIdImage'],
    })
    expect(json((await run(freshHome(), ['codes', '--json'])).out)['codes']).toHaveLength(60)
  })

  it('says that there is no such code, and names the nearest', async () => {
    const {code, out, err} = await run(freshHome(), ['codes', 'DOC_QUALITY_POR'])
    expect({code, out}).toEqual({code: 5, out: ''})
    expect(err).toBe('svc: There is no issue code "DOC_QUALITY_POR" in the interface. Did you mean DOC_QUALITY_POOR?\n')
  })
})
