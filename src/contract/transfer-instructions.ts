// The fields of fiat transfer instructions, with the labels that banks use, in the order in which a sender needs them.
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

export const fiatInstructionFields = Object.keys(fiatInstructionLabels) as FiatInstructionField[]
