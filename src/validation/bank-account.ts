// Judges the numbers by which banks and their accounts are known, where a number shows by itself that it is mistyped.

const ibanLengthMin = 15
const ibanLengthMax = 34
const ibanModulus = 97n
const digitRadix = 36

// The first four characters move to the end, letters become numbers, and the whole leaves a remainder of one.
export function isIban(text: string): boolean {
  const iban = text.replaceAll(' ', '').toUpperCase()
  if (!/^[A-Z]{2}\d{2}[A-Z\d]+$/.test(iban) || iban.length < ibanLengthMin || iban.length > ibanLengthMax) return false
  const rearranged = iban.slice(4) + iban.slice(0, 4)
  const digits = rearranged.replaceAll(/[A-Z]/g, (letter) => String(Number.parseInt(letter, digitRadix)))
  return BigInt(digits) % ibanModulus === 1n
}

const routingWeights = [3, 7, 1]

// Nine digits; added up with the weights 3, 7 and 1 in turn, they leave no rest by ten.
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false
  const sum = text.split('').reduce((so, digit, index) => so + Number(digit) * (routingWeights[index % 3] ?? 0), 0)
  return sum % 10 === 0
}
