// The fields of fiat transfer instructions, each with the words that a bank's form or clerk has for it. Whoever sends money
// reads them in this order.
export const fiatInstructionLabels = {
  transferPaymentMethod: 'Method',
  transferBankBeneficiaryName: 'Pay to (beneficiary)',
  transferBankName: 'Bank',
  transferBankAddress: 'Bank address',
  transferBankAccountNumber: 'Account number',
  transferRoutingNumber: 'Routing number (ABA)',
  transferIban: 'IBAN',
  transferBicSwift: 'BIC/SWIFT',
  transferIfscCode: 'IFSC code',
  transferSortCode: 'Sort code',
  transferBsbNumber: 'BSB number',
  transferTransitNumber: 'Transit number',
  transferBankCode: 'Bank code',
  transferBranchCode: 'Branch code',
  transferRoutingCode: 'Routing code',
  transferClearingCode: 'Clearing code',
  transferClabeNumber: 'CLABE number',
  transferCnapsCode: 'CNAPS code',
  transferNubanCode: 'NUBAN',
  transferPixCode: 'Pix code',
  transferPaymentLink: 'Pay at',
  transferMessage: 'Reference (must be given)',
} as const

export type FiatInstructionField = keyof typeof fiatInstructionLabels

// The labels are the list of the fields: one that has no label is no field.
export const fiatInstructionFields = Object.keys(fiatInstructionLabels) as FiatInstructionField[]
