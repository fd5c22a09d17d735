// --template: the subset of Go templates that svc has.
import {describe, expect, it} from 'vitest'
import {createTemplateReshaper} from '../../../src/cli/output/go-template/reshaper.ts'
import {parseJson} from '../../../src/values/json.ts'
import {reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'

const data = parseJson(`{
  "name": "Ada", "empty": "", "none": null, "amount": "120.50", "big": 123456789012345678901.10, "zero": 0,
  "list": ["a", "b"], "nested": {"deep": {"er": "x"}}, "at": "2026-11-01T09:30:00Z",
  "rows": [{"id": "1", "name": "short"}, {"id": "22", "name": "longer"}]
}`)

const render = (template: string) => createTemplateReshaper(template).reshape([data])

describe('a template', () => {
  it.each([
    ['{{.name}} pays {{.amount}}', 'Ada pays 120.50'],
    ['{{.nested.deep.er}}{{.nested.no.such}}|{{.none}}|', 'x||'],
    ['{{.big}}', '123456789012345678901.10'],
    ['{{range .list}}[{{.}}]{{end}}', '[a][b]'],
    ['{{range $i, $item := .list}}{{$i}}={{$item}} of {{$.name}};{{end}}', '0=a of Ada;1=b of Ada;'],
    ['{{range .empty}}x{{else}}nothing{{end}}', undefined],
    ['{{range .missing}}x{{else}}nothing{{end}}', 'nothing'],
    ['{{if .empty}}yes{{else if .zero}}zero{{else}}no{{end}}', 'no'],
    ['{{if and .name (not .none)}}yes{{end}}', 'yes'],
    ['{{with .nested}}{{.deep.er}}{{end}}', 'x'],
    [
      '{{if gt .amount 99.9}}more{{end}}{{if lt "9" "10"}} less{{end}}{{if eq 120.5 .amount}} same{{end}}',
      'more less same',
    ],
    ['{{if eq .name "Bob" "Ada"}}known{{end}}', 'known'],
    ['{{len .list}} {{index .list 1}} {{(index .rows 1).name}}', '2 b longer'],
    ['{{join ", " .list}} {{pluck "id" .rows | join "+"}}', 'a, b 1+22'],
    ['{{printf "%-5s|%5s|%.1f|%q|%d%%" .name .name .amount .name 3}}', 'Ada  |  Ada|120.5|"Ada"|3%'],
    ['{{.at | timefmt "Jan 02, 2006 15:04"}}', 'Nov 01, 2026 09:30'],
    ['{{truncate 5 "abcdefgh"}} {{json .list}}', 'abcd… ["a","b"]'],
    ['{{range .rows}}{{tablerow .id .name}}{{end}}', '1   short\n22  longer'],
    ['{{tablerow "a"}}{{tablerender}}after', 'a\nafter'],
    ['{{$x := .name}}{{if true}}{{$x = "Bob"}}{{end}}{{$x}}', 'Bob'],
    ['a {{- /* left out */ -}} b{{"\\n"}}{{`}}`}}', 'ab\n}}'],
    ['{{.list}} {{.nested}}', 'a, b {"deep":{"er":"x"}}'],
  ])('%s', (template, text) => {
    const {text: made, failure} = render(template)
    if (text === undefined) return expect(failure?.sentence).toContain('range needs a list')
    expect({made, failure}).toEqual({made: `${text}\n`, failure: undefined})
  })

  it.each([
    ['{{.name', 'has no }}'],
    ['{{range .list}}', '{{range} has no {{end}}'.replace('{{range}', '{{range}}')],
    ['{{end}}', 'too many'],
    ['{{else}}', 'belongs to no'],
    ['{{nosuch .name}}', 'there is no function "nosuch"'],
    ['{{.name | }}', 'a value is missing'],
    ['{{(len .list}}', 'parentheses'],
    ['{{define "x"}}', '{{define}} is not supported'],
    ['{{.a ? 1}}', 'cannot be read'],
  ])('rejects %s', (template, reason) => {
    expect(() => render(template)).toThrow(reason)
  })

  it('says what does not fit the data', () => {
    expect(render('{{.name.first}}').failure?.sentence).toBe('--template failed on the data: .first was asked of "Ada"')
  })

  it('is refused before anything is sent, and cleans what the service sends', async () => {
    const service = await serve((_, response) => reply(response, 200, {customers: [{name: '\u001b[2JAda\nsvc: done'}]}))
    const list = (template: string) =>
      run(freshHome(), ['customers', 'list', '--quiet', '--template', template], {env: service.env})
    const refused = await list('{{if}}')
    expect({code: refused.code, sent: service.requests}).toEqual({code: 2, sent: []})
    expect((await list('{{range .customers}}{{.name}};{{"\\n"}}{{end}}')).out).toBe('Ada svc: done;\n')
  })
})
