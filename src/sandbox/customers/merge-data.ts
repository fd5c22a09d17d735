// Joins what was submitted earlier with what is submitted now.

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// These belong to the country of an address and do not outlive its change.
const countryFields = new Set(['stateRegionProvince', 'postalCode'])

const changesCountry = (earlier: Fields, later: Fields) =>
  earlier['countryCode'] !== undefined &&
  later['countryCode'] !== undefined &&
  earlier['countryCode'] !== later['countryCode']

const dropCountryFields = (address: Fields) =>
  Object.fromEntries(Object.entries(address).filter(([field]) => !countryFields.has(field)))

// Objects are joined field by field at every depth; a list or a plain value takes the place of the earlier one.
export function mergeData(earlier: Fields, later: Fields): Fields {
  const result = changesCountry(earlier, later) ? dropCountryFields(earlier) : {...earlier}
  for (const [field, value] of Object.entries(later)) {
    const before = result[field]
    result[field] = isFields(before) && isFields(value) ? mergeData(before, value) : value
  }
  return result
}

// Whether anything was submitted at all: objects within objects may all be empty. An empty list says something.
export const hasContent = (value: unknown): boolean =>
  isFields(value) ? Object.values(value).some(hasContent) : value !== undefined
