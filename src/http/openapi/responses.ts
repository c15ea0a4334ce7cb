/** The responses of an operation in the OpenAPI document: its own, and the errors by the catalogue. */
import { reasonOfTokenError, tokenErrorCodes } from '../../auth/token-error.ts';
import { catalogue, type ErrorEntry, type ErrorReason } from '../../errors.ts';
import type { Schema } from '../../formats/shape.ts';
import { exampleOf } from './examples.ts';
import { hasErrorBody } from '../problem.ts';
import { jsonType, type AnyOperation, type ResponseDoc } from '../operation.ts';

export interface OpenApiContent {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, Reference>;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, { description: string; required?: boolean; schema: Schema }>;
  content?: Record<string, OpenApiContent>;
}

export interface Reference {
  $ref: string;
}

/** Moves the parts that many operations share to `components`, and refers to them. */
export interface Shared {
  schema(schema: Schema): Schema;
  response(name: string, response: OpenApiResponse): Reference;
}

type Share = Shared['schema'];

/** The keyword for a list of values that may grow. */
export const openEnum = 'x-extensible-enum';

const tokenReasons = tokenErrorCodes.map(reasonOfTokenError);

const reasonSchema: Schema = {
  title: 'ErrorReason',
  type: 'string',
  description: 'The stable name of an error. New ones may be added; none changes its meaning.',
  [openEnum]: [...new Set([...Object.keys(catalogue), ...tokenReasons])],
};

const problemSchema: Schema = {
  title: 'ProblemDetails',
  type: 'object',
  required: ['type', 'title', 'status', 'traceId'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    traceId: { type: 'string', description: 'The same id is in the log.' },
    errors: {
      type: 'object',
      description: 'From a field, or Error for a refusal by a rule, to its messages.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
};

const tokenErrorSchema: Schema = {
  title: 'TokenError',
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', [openEnum]: tokenErrorCodes, description: 'RFC 6749 section 5.2.' },
    error_description: { type: 'string' },
  },
};

export function describeResponses(
  operation: AnyOperation,
  shared: Shared,
): Record<string, OpenApiResponse | Reference> {
  const { schema: share } = shared;
  const own = Object.entries(operation.responses).map(([status, doc]) => [status, describeOwn(doc, share)] as const);
  const reasons = errorsOf(operation);
  const errors = [...new Set(reasons.map((reason) => catalogue[reason].status))].map((status) => {
    const ofStatus = reasons.filter((reason) => catalogue[reason].status === status);
    const name = [status, ...ofStatus].join('-');
    return [String(status), shared.response(name, describeError(status, ofStatus, share))] as const;
  });
  const token = operation.oauthErrors ? tokenErrors(share) : [];
  // Numeric keys of an object are in ascending order, whatever the order they are added in.
  return Object.fromEntries([...own, ...errors, ...token]);
}

function describeOwn(doc: ResponseDoc, share: Share): OpenApiResponse {
  const { about, shape, schema, contentType, headers, example, examples = {} } = doc;
  const body = shape?.schema ?? schema;
  const others = [contentType ?? []]
    .flat()
    .map(
      (type) => [type, { schema: { type: 'string' }, ...(type in examples && { example: examples[type] }) }] as const,
    );
  const own = body && { schema: share(body), example: example ?? exampleOf(body) };
  const content = [...(own ? [[mediaType(jsonType), own] as const] : []), ...others];
  const described = Object.entries(headers ?? {}).map(
    ([name, description]) => [name, { description, schema: { type: 'string' } }] as const,
  );
  return {
    description: about,
    headers: { ...requestId, ...Object.fromEntries(described) },
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
  };
}

const mediaType = (contentType: string) => contentType.split(';')[0]!;

/** The errors of an operation: its own, and those of every operation of its kind. */
function errorsOf(operation: AnyOperation): ErrorReason[] {
  const { method, path, scopes, input, query, rawBody, oauthErrors, isLocalInSandbox, errors = [] } = operation;
  const mayHaveBody = method !== 'GET' && !rawBody;
  const all: ErrorReason[] = [
    ...(input || query ? (['invalid-request'] as const) : []),
    ...(mayHaveBody
      ? (['malformed-body', 'request-timeout', 'body-too-large', 'unsupported-media-type'] as const)
      : []),
    ...(scopes ? (['invalid-token', 'missing-scope', 'not-this-user'] as const) : []),
    ...(isLocalInSandbox && !oauthErrors ? (['sandbox-only'] as const) : []),
    ...(path.includes('{id}') ? [operation.unknownId ?? ('unknown-user' as const)] : []),
    ...errors,
    ...(operation.streams ? (['too-many-streams'] as const) : []),
    ...(scopes || isLocalInSandbox ? (['database-unavailable', 'overloaded', 'query-too-slow'] as const) : []),
    ...(scopes ? (['issuer-unavailable'] as const) : []),
    'internal',
  ];
  return [...new Set(all)];
}

function describeError(status: number, reasons: ErrorReason[], share: Share): OpenApiResponse {
  const examples = reasons.map((reason) => [reason, { $ref: `#/components/examples/${reason}` }] as const);
  return {
    description: reasons.map((reason) => `- \`${reason}\`: ${catalogue[reason].when}`).join('\n'),
    headers: {
      ...requestId,
      'Error-Reason': { description: 'Which error it is.', required: true, schema: reasonOneOf(reasons, share) },
      ...(isRetryable(status) && { 'Retry-After': retryAfter }),
      ...(reasons.includes('challenge-required') && {
        Challenge: { description: 'What to solve, with challenge-required.', schema: { type: 'string' } },
      }),
      ...(status === 401 && {
        'WWW-Authenticate': authenticate('RFC 6750 section 3.'),
      }),
      ...(reasons.includes('missing-scope') && {
        'WWW-Authenticate': { ...authenticate('The scopes that are needed, with missing-scope.'), required: false },
      }),
    },
    ...(hasErrorBody(status) && {
      content: {
        'application/problem+json': { schema: share(problemSchema), examples: Object.fromEntries(examples) },
      },
    }),
  };
}

/** The shared schema lists all reasons, for clients. This one lists those of one response. */
function reasonOneOf(reasons: string[], share: Share): Schema {
  return { allOf: [share(reasonSchema)], [openEnum]: reasons };
}

/** Of every answer. */
const requestId = {
  'Request-Id': {
    description: 'The id of the request: the same as `traceId` in an error and in the log.',
    required: true,
    schema: { type: 'string' },
  },
};

const retryAfter = { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 1 } };

const authenticate = (description: string) => ({ description, required: true, schema: { type: 'string' } });

function isRetryable(status: number): boolean {
  return status === 429 || status === 503;
}

/** RFC 6749 section 5.2, for the token endpoint. */
function tokenErrors(share: Share): (readonly [string, OpenApiResponse])[] {
  const described = (about: string, reasons: string[], headers: OpenApiResponse['headers'] = {}): OpenApiResponse => ({
    description: about,
    headers: {
      ...requestId,
      'Error-Reason': { description: 'Which error it is.', required: true, schema: reasonOneOf(reasons, share) },
      ...headers,
    },
    content: {
      [mediaType(jsonType)]: {
        schema: share(tokenErrorSchema),
        example: {
          error: tokenErrorCodes.find((code) => reasonOfTokenError(code) === reasons[0]) ?? 'invalid_request',
          error_description: about,
        },
      },
    },
  });
  const unknownClient = { 'WWW-Authenticate': authenticate('RFC 6749 section 5.2.') };
  const sandboxOnly: ErrorEntry = catalogue['sandbox-only'];
  return [
    ['400', described('The request is malformed, or the client may not ask for this.', tokenReasons)],
    ['401', described('The client is unknown, or its secret is wrong.', ['invalid-client'], unknownClient)],
    ['403', described(sandboxOnly.when, ['sandbox-only'])],
    ['408', described('The request did not arrive in time.', ['invalid-request'])],
    ['413', described('The body is too large.', ['invalid-request'])],
  ];
}
