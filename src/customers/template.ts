// The template of a file that creates a customer with verification data.
import {type Customer, customerCreate} from '../contract/customers.ts'
import {renderTemplate} from '../cli/template/render-template.ts'
import {buildTemplateNodes, type TemplateNode} from '../forms/template-nodes.ts'

type CustomerType = Customer['customerType']

const fieldsOfOtherType: Readonly<Record<CustomerType, readonly string[]>> = {
  INDIVIDUAL: ['businessName', 'kybData'],
  BUSINESS: ['firstName', 'lastName', 'kycData'],
}

const titles: Readonly<Record<CustomerType, string>> = {
  INDIVIDUAL: 'A person and the data that verifies who it is (KYC).',
  BUSINESS:
    'A business and the data that verifies it (KYB). Copy the item of associatedPersons for each further owner, director or signer.',
}

export const buildCustomerTemplate = (customerType: CustomerType, isMinimal = false): TemplateNode[] =>
  buildTemplateNodes(customerCreate, {
    omitted: fieldsOfOtherType[customerType],
    presets: {customerType},
    isMinimal,
  })

export const renderCustomerTemplate = (customerType: CustomerType, nodes: readonly TemplateNode[]): string =>
  renderTemplate(nodes, {
    sentences: [
      titles[customerType],
      'Check it with `svc customers check -f FILE`, send it with `svc customers create -f FILE`. Paths of documents are relative to this file.',
    ],
    isVerified: true,
  })
