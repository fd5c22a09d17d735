// svc codes: on a terminal, in a pipe, as JSON, and with an unknown code.
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../support/svc.ts'

describe('svc codes', () => {
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
