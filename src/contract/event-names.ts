// The name of the service's only event, which the interface spells in two ways.
export const customerUpdatedName = 'customer.updated'
export const customerUpdatedAlsoWritten = ['customer.update'] as const
