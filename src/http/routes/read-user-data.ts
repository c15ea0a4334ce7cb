import type { ReadUserData } from '../../privacy/read-user-data.ts';
import { jsonType, noStore, operation } from '../operation.ts';

const timestamp = { type: 'string', format: 'date-time' };
const orNull = (schema: object) => ({ ...schema, type: [(schema as { type: string }).type, 'null'] });
const text = { type: 'string' };
const integer = { type: 'integer' };

const object = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const userDataSchema = {
  title: 'UserData',
  ...object({
    user: object({
      id: integer,
      merchantId: orNull(integer),
      email: orNull(text),
      additionalData: { type: ['object', 'null'], additionalProperties: true },
      createdAt: timestamp,
    }),
    phone: object({ verified: orNull(text), verifiedAt: orNull(timestamp), lastSent: orNull(text) }),
    verifications: {
      type: 'array',
      items: object({ at: timestamp, kind: text, reason: orNull(text), times: integer }),
    },
    messages: {
      type: 'array',
      items: object({
        codeNumber: integer,
        phoneNumber: { ...text, description: 'Masked, as it is stored.' },
        country: orNull(text),
        correlationType: integer,
        locale: text,
        segments: integer,
        gateway: text,
        gatewayMessageId: orNull(text),
        state: text,
        reason: orNull(text),
        tries: { type: ['array', 'null'], items: { type: 'object', additionalProperties: true } },
        requestedAt: timestamp,
        answeredAt: orNull(timestamp),
        stateAt: timestamp,
        expiresAt: timestamp,
        verifiedAt: orNull(timestamp),
      }),
    },
    blocks: { type: 'array', items: object({ rule: text, until: timestamp }) },
    transactions: object({
      count: integer,
      export: { ...text, description: 'The path by which the transactions can be exported.' },
    }),
  }),
};

export const readUserDataOperation = (readUserData: ReadUserData) =>
  operation({
    name: 'read-user-data',
    method: 'GET',
    path: '/User/{id}/data',
    tag: 'Users',
    summary: 'Everything stored about a user',
    about: 'For a request of access by the person. It never holds a code or a digest. Every access is audited.',
    scopes: ['users'],
    serviceTokensOnly: true,
    responses: {
      200: { about: 'What is stored.', schema: userDataSchema },
      404: { about: 'Unknown user.' },
    },
    handle: async ({ id, caller }) => ({
      status: 200,
      body: await readUserData(caller, id),
      contentType: jsonType,
      headers: noStore,
    }),
  });
