// Merges a new submission into the data that was submitted earlier.

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Dropped from an address when its country changes, unless they are submitted again.
const countryFields = new Set(['stateRegionProvince', 'postalCode'])

const changesCountry = (earlier: Fields, later: Fields) =>
  earlier['countryCode'] !== undefined &&
  later['countryCode'] !== undefined &&
  earlier['countryCode'] !== later['countryCode']

const dropCountryFields = (address: Fields) =>
  Object.fromEntries(Object.entries(address).filter(([field]) => !countryFields.has(field)))

// Objects are merged field by field at every depth. A list or a plain value replaces the earlier one.
export function mergeData(earlier: Fields, later: Fields): Fields {
  const result = changesCountry(earlier, later) ? dropCountryFields(earlier) : {...earlier}
  for (const [field, value] of Object.entries(later)) {
    const before = result[field]
    result[field] = isFields(before) && isFields(value) ? mergeData(before, value) : value
  }
  return result
}

// Objects that contain only empty objects have no content. An empty list does, because it replaces an earlier one.
export const hasContent = (value: unknown): boolean =>
  isFields(value) ? Object.values(value).some(hasContent) : value !== undefined
