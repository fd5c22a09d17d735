// The template that escapes by construction, and the attributes that it writes.
import {describe, expect, it} from 'vitest'
import {attributes, html} from '../../../src/sandbox/pages/html.ts'

describe('html', () => {
  it('escapes every text, in content and in quoted attributes', () => {
    const evil = `<b title="x" alt='y'>&amp;</b>`
    expect(html`<p title="${evil}">${evil}</p>`.text).toBe(
      '<p title="&lt;b title=&quot;x&quot; alt=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;">' +
        '&lt;b title=&quot;x&quot; alt=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;</p>',
    )
  })

  it('leaves HTML and lists of it as they are, numbers too, and nothing for what is absent', () => {
    const items = ['a', '<'].map((each) => html`<i>${each}</i>`)
    const absent = [null, undefined, false] as const
    expect(html`<b>${items}</b>${0}${absent}${['&', 1]}`.text).toBe('<b><i>a</i><i>&lt;</i></b>0&amp;1')
  })

  it('does not take an object that only looks like HTML', () => {
    const pretender = JSON.parse('{"text": "<script>"}') as string
    expect(() => html`${pretender}`).toThrow(TypeError)
  })
})

describe('attributes', () => {
  it('escapes values, writes true as a name alone, and leaves out what is false or absent', () => {
    const written = attributes({value: '"<', required: true, hidden: false, id: undefined, rows: 3})
    expect(html`<input${written}>`.text).toBe('<input value="&quot;&lt;" required rows="3">')
  })

  it('refuses a name that could break out', () => {
    expect(() => attributes({'a onload=': 'x'})).toThrow(/no name of an attribute/)
  })
})
