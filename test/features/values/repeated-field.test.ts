import {describe, expect, it} from 'vitest'
import {findRepeatedField} from '../../../src/values/json.ts'

describe('a repeated field', () => {
  it.each([
    ['{"amount": 1, "amount": 2}', 'amount'],
    ['{"a": {"b": [1, {"c": 1, "d": 2, "c": 3}]}}', 'c'],
    ['[{"a": 1}, {"b": 1, "b": 2}]', 'b'],
    [String.raw`{"amount": 1, "\u0061mount": 2}`, 'amount'],
    [String.raw`{"a\"b": ":", "x": "{", "a\"b": 1}`, 'a"b'],
  ])('is found in %s', (text, field) => expect(findRepeatedField(text)).toBe(field))

  it.each([
    '{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]}',
    '{"a": "a", "b": "\\"a\\": 1, \\"a\\": 2"}',
    '["a", "a", ":"]',
    '"a"',
    '{}',
  ])('is not found in %s', (text) => expect(findRepeatedField(text)).toBeUndefined())
})
