// The HTML template, which escapes every interpolated text, and the attributes that it writes.
import {describe, expect, it} from 'vitest'
import {attributes, html} from '../../src/web/html.ts'

describe('html', () => {
  it('escapes every text, in content and in quoted attributes', () => {
    const evil = `<b title="x" alt='y'>&amp;</b>`
    expect(String(html`<p title="${evil}">${evil}</p>`)).toBe(
      '<p title="&lt;b title=&quot;x&quot; alt=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;">' +
        '&lt;b title=&quot;x&quot; alt=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;</p>',
    )
  })

  it.each(['{"text": "<script>"}', '{"isEscaped": true, "text": "<script>"}'])(
    'does not use the text of %s, which only looks like HTML',
    (json) => {
      const pretender = JSON.parse(json) as string
      expect(String(html`<p>${pretender}</p>`)).toBe('<p>[object Object]</p>')
    },
  )
})

describe('attributes', () => {
  it('escapes values, writes true as the name alone, and leaves out false and absent values', () => {
    const written = attributes({value: '"<', required: true, hidden: false, id: undefined, rows: 3})
    expect(String(html`<input${written}>`)).toBe('<input value="&quot;&lt;" required rows="3">')
  })

  it('rejects a name that could end the tag', () => {
    expect(() => attributes({'a onload=': 'x'})).toThrow(/not an attribute name/)
  })
})
