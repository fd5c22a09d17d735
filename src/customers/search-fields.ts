// What customers are searched by.
export const customerSearch = {names: 'name, email or id', fields: ['name', 'email', 'customerId']} as const
