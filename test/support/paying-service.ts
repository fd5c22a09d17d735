// The scripted service under its former name.
export {type PaymentService, servePayments} from './scripted-service.ts'
