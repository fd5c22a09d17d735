// The tables of webhook endpoints, events and deliveries.
import type {TableGroup} from '../../store/table-group.ts'

// A process leases an endpoint while it sends to it; the lease expires in real time. The body of an event is sealed when it
// is first sent (see attempts.ts). An endpoint with an owner belongs to the process that made it, which removes it again.
// A waiting attempt is a row in the queue; the first index lets everything else skip them.
export const webhookTables: TableGroup = {
  namesInDeletionOrder: ['webhookDeliveries', 'webhookEvents', 'webhookEndpoints'],
  sql: `
  create index queueToRun on queue (due, seq) where kind <> 'webhook.attempt';
  create index attemptsByEndpoint on queue (payload ->> 'endpointId', due, seq) where kind = 'webhook.attempt';
  create index attemptsByDelivery on queue (payload ->> 'deliveryId') where kind = 'webhook.attempt';

  create table webhookEndpoints (
    seq integer primary key,
    endpointId text not null unique,
    url text not null,
    secret text not null,
    isEnabled integer not null default 1,
    copies integer not null,
    reorders integer not null,
    heldEventId text,
    owner text,
    createdAt integer not null,
    leaseHolder text,
    leaseUntil integer
  ) strict;

  create table webhookEvents (
    eventId text not null primary key,
    type text not null,
    customerId text not null,
    createdAt integer not null,
    body text not null,
    isSealed integer not null default 0
  ) strict;

  create table webhookDeliveries (
    seq integer primary key,
    deliveryId text not null unique,
    eventId text not null references webhookEvents (eventId),
    endpointId text not null references webhookEndpoints (endpointId),
    status text not null default 'PENDING',
    attempts integer not null default 0,
    lastOutcome text,
    lastAttemptAt integer,
    isResend integer not null default 0,
    createdAt integer not null
  ) strict;
  create index deliveriesByEndpoint on webhookDeliveries (endpointId, seq);
  create index deliveriesByEvent on webhookDeliveries (eventId, seq);
  `,
}
