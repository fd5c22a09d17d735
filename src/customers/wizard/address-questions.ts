// The questions about an address, labelled as usual in its country.
import {listStateChoices} from '../../values/countries.ts'
import {address} from '../../contract/verification-data.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {type FieldPrompt, buildQuestions} from './build-questions.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import {lookUp} from '../../values/records.ts'

// What stateRegionProvince is called in each country.
const stateLabels: Readonly<Record<string, string>> = {
  AE: 'Emirate',
  AR: 'Province',
  AU: 'State or territory',
  CA: 'Province or territory',
  CN: 'Province',
  EG: 'Governorate',
  ES: 'Province',
  GB: 'County',
  IE: 'County',
  IN: 'State or union territory',
  IT: 'Province',
  JP: 'Prefecture',
  US: 'State',
}

const postalLabels: Readonly<Record<string, string>> = {
  AU: 'Postcode',
  BR: 'CEP',
  CH: 'Postcode',
  DE: 'Postcode',
  GB: 'Postcode',
  IE: 'Eircode',
  IN: 'PIN code',
  IT: 'CAP',
  NL: 'Postcode',
  NZ: 'Postcode',
  PH: 'ZIP code',
  US: 'ZIP code',
}

const addressFields = {
  countryCode: {label: 'Country', isRequired: true},
  streetLine1: {label: 'Street and number', hint: 'at least 4 characters', isRequired: true},
  streetLine2: {label: 'Flat, floor or building', hint: 'at least 4 characters'},
  city: {label: 'City', isRequired: true},
  stateRegionProvince: {label: 'State, region or province'},
  postalCode: {label: 'Postal code'},
} as const satisfies Record<string, FieldPrompt>

// `prefix` is put before every label, to tell several addresses apart.
export function buildAddressQuestions(
  body: Body,
  path: string,
  {prefix = '', likelyCountry}: {prefix?: string; likelyCountry?: unknown} = {},
): Question[] {
  const countryCode = getValue(body, `${path}.countryCode`)
  const country = typeof countryCode === 'string' ? countryCode : ''
  const states = listStateChoices(country)
  const {stateRegionProvince: state, postalCode, ...others} = buildQuestions(address, path, addressFields)
  const questions: Question[] = [
    {
      ...others.countryCode,
      ...(typeof likelyCountry === 'string' && {suggestion: likelyCountry}),
      clears: [state.path, postalCode.path],
    },
    others.streetLine1,
    others.streetLine2,
    others.city,
    {
      ...state,
      label: lookUp(stateLabels, country) ?? state.label,
      // Countries with codes for their states require one of them.
      ...(states.length > 0 && {kind: 'one-of', choices: states, isRequired: true}),
    },
    {...postalCode, label: lookUp(postalLabels, country) ?? postalCode.label},
  ]
  if (prefix === '') return questions
  return questions.map((each) => ({...each, label: `${prefix}: ${each.label.toLowerCase()}`}))
}
