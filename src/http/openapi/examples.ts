/** Examples for the OpenAPI document: answers derived from their schemas, and errors from the catalogue. */
import { catalogue, type ErrorEntry, type ErrorReason } from '../../errors.ts';
import type { Schema } from '../../formats/shape.ts';
import { hasErrorBody, problemBody } from '../problem.ts';

export interface OpenApiExample {
  summary: string;
  description: string;
  value: unknown;
}

/** Values by the name of a member, for schemas that alone would give an empty text. */
const valuesByName: Record<string, unknown> = {
  about: 'Codes that one user may request in a window.',
  access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9…',
  action: 'guard.lift',
  actor: 'ops@example.com',
  addedBy: 'ops@example.com',
  aheadSeconds: 600,
  amount: 12.5,
  changedBy: 'ops@example.com',
  client: 'backend',
  code: '482913',
  configuredOrder: 'twilio',
  correlationType: 0,
  country: 'GB',
  currency: 'EUR',
  description: 'Bookkeeping',
  detail: 'off → shadow',
  disabledReason: null,
  email: 'ada@example.com',
  error: null,
  expires_in: 3600,
  export: '/app/export-transactions',
  failingSince: null,
  gateway: 'twilio',
  channel: 'sms',
  gatewayMessageId: 'SM0123456789abcdef',
  id: 'dXNlci1zZW5kczoxNw',
  kind: 'sent',
  label: '+44 7400',
  lastAnswer: 'HTTP 204',
  lastError: null,
  lastSent: '+447400123456',
  lastSentPhone: '+447400123456',
  lastStatus: 204,
  locale: 'en',
  milliseconds: 120,
  moneyIn: 250,
  moneyOut: 12.5,
  next: 'AAAAAAAAAAE',
  order: 'twilio',
  other: 0,
  outcome: 'accepted',
  paymentNotes: 'Two flat whites',
  phone: '+44•••••••456',
  phoneKey: 'q6Zt1Q',
  phoneNumber: '+447400123456',
  probeInSeconds: null,
  reason: null,
  reasons: 'twilio delivers best',
  receiverName: 'Coffee Corner',
  request: '{"id":"0195f2c4-7a10-7c3e-9d52-4f0a6b1c8e21","type":"phone.verified"}',
  rule: 'user-sends',
  scope: 'phone transactions:read',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  senderName: 'Ada Park',
  source: '192.0.2.17',
  state: 'delivered',
  status: 204,
  subject: 'user 17',
  target: '+44•••••••456',
  text: 'Your code is 482913.',
  transactionId: 'f3b1c2d4-0001',
  transactionIds: 'f3b1c2d4-0001',
  transactionStatus: 'Accepted',
  type: 'phone.verified',
  types: 'phone.verified',
  url: 'https://example.com/hooks/ledgerline',
  verified: '+447400123456',
  verifiedPhone: '+447400123456',
};

const valuesByFormat: Record<string, unknown> = {
  'date-time': '2026-03-01T09:30:00Z',
  date: '2026-03-01',
  uuid: '0195f2c4-7a10-7c3e-9d52-4f0a6b1c8e21',
  uri: 'https://example.com',
  email: 'ada@example.com',
};

/** A value that fits the schema, or undefined if the schema says nothing about it. */
export function exampleOf(schema: Schema, name = ''): unknown {
  if ('const' in schema) return schema.const;
  if (name in valuesByName && Array.isArray(schema.examples)) return valuesByName[name];
  const [choice] = (schema.examples ?? schema.enum ?? schema.oneOf ?? schema.allOf ?? []) as unknown[];
  if (schema.examples || schema.enum) return choice;
  if (choice) return exampleOf(choice as Schema, name);
  const types = [schema.type].flat();
  if (types.includes('null') && valuesByName[name] === null) return null;
  const [type] = types;
  switch (type) {
    case 'object':
      return exampleObject(schema);
    case 'array':
      return [exampleOf((schema.items ?? {}) as Schema, name)].filter((item) => item !== undefined);
    case 'integer':
    case 'number':
      return exampleNumber(schema, name);
    case 'boolean':
      return true;
    case 'string':
      return exampleText(schema, name);
    default:
      return undefined;
  }
}

/** A member that is null in the table is left out if it is optional. */
function exampleObject({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const isNeeded = (name: string) => (required as string[]).includes(name) || valuesByName[name] !== null;
  const members = Object.entries(properties as Record<string, Schema>).filter(([name]) => isNeeded(name));
  return Object.fromEntries(
    members
      .map(([name, schema]) => [name, exampleOf(schema, name)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

function exampleNumber({ minimum = 1, default: value }: Schema, name: string): unknown {
  if (typeof valuesByName[name] === 'number') return valuesByName[name];
  return value ?? Math.max(1, Number(minimum));
}

function exampleText({ format, default: value }: Schema, name: string): unknown {
  return valuesByFormat[String(format)] ?? value ?? textOf(name);
}

function textOf(name: string): string {
  const known = valuesByName[name];
  if (name === 'reason') return 'timeout';
  return typeof known === 'string' ? known : name || 'text';
}

const traceId = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** One example for each reason that has a body, under its name. Operations refer to them. */
export function problemExamples(): Record<string, OpenApiExample> {
  const withBody = Object.entries<ErrorEntry>(catalogue).filter(([, { status }]) => hasErrorBody(status));
  return Object.fromEntries(
    withBody.map(([reason, entry]) => [
      reason,
      {
        summary: reason,
        description: entry.when,
        value: JSON.parse(problemOf(reason as ErrorReason, entry)) as unknown,
      },
    ]),
  );
}

function problemOf(reason: ErrorReason, { status, message }: ErrorEntry): string {
  if (reason === 'invalid-request') {
    const errors = { Id: ['The Id field is required.'] };
    return problemBody({ reason, status, title: 'One or more validation errors occurred.', errors }, traceId);
  }
  return problemBody({ reason, status, ...(message && { errors: { Error: [message] } }) }, traceId);
}
