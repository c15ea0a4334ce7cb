/** The OpenAPI document, made from the operations themselves. */
import { readFileSync } from 'node:fs';
import { catalogue } from '../errors.ts';
import { reasonOfTokenError, tokenErrorCodes } from '../auth/token-error.ts';
import type { AnyOperation, ResponseDoc } from './operation.ts';
import type { Schema } from '../formats/shape.ts';
import { describeWebhooks } from './openapi-webhooks.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export interface OpenApiDocument {
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: unknown };
}

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  'x-scopes'?: readonly string[];
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

/** The keyword for values that are known today and to which more may be added. */
export const openEnum = 'x-extensible-enum';

const reasonSchema: Schema = {
  title: 'ErrorReason',
  type: 'string',
  description: 'The stable name of an error. New ones may come; none changes its meaning.',
  [openEnum]: [...Object.keys(catalogue), ...tokenErrorCodes.map(reasonOfTokenError)].filter(isFirst),
};

function isFirst<T>(value: T, index: number, all: T[]): boolean {
  return all.indexOf(value) === index;
}

const problemSchema: Schema = {
  title: 'ProblemDetails',
  type: 'object',
  required: ['type', 'title', 'status', 'traceId'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    traceId: { type: 'string', description: 'Stands in the log too.' },
    errors: {
      type: 'object',
      description: 'From a field, or Error for a refusal by a rule, to its messages.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
};

export function openApiDocument(operations: AnyOperation[]): OpenApiDocument & Record<string, unknown> {
  const schemas: Record<string, Schema> = {};
  const share = sharer(schemas);
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation, share);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ledgerline',
      version,
      description: 'Phone verification and wallet activity behind one bearer-token API.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: describeWebhooks(share),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas,
    },
  };
}

/** Titled schemas are named once and referred to. */
function sharer(schemas: Record<string, Schema>) {
  return function share(schema: Schema): Schema {
    const inner = Object.fromEntries(
      Object.entries(schema).map(([name, value]) => [
        name,
        name === 'examples' || name === 'enum' ? value : shareInside(value),
      ]),
    );
    const { title, ...rest } = inner;
    if (typeof title !== 'string') return inner;
    schemas[title] = rest;
    return { $ref: `#/components/schemas/${title}` };
  };

  function shareInside(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shareInside);
    if (typeof value !== 'object' || value === null) return value;
    return sharer(schemas)(value as Schema);
  }
}

function describe(
  operation: AnyOperation,
  share: (schema: Schema) => Schema,
): OpenApiOperation & Record<string, unknown> {
  const { name, tag, summary, about, scopes, input, inputRequired, example, responses } = operation;
  const content = (schema: Schema) => ({
    'application/json': { schema: share(schema), ...(example !== undefined && { example }) },
  });
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(about && { description: about }),
    ...(scopes ? { 'x-scopes': scopes } : { security: [] }),
    ...parameters(operation),
    ...(input && {
      requestBody: { required: inputRequired ?? false, content: content({ title: input.name, ...input.schema }) },
    }),
    responses: Object.fromEntries(
      Object.entries({ ...commonResponses(operation), ...responses }).map(([status, doc]) => [
        status,
        describeResponse(Number(status), doc, share),
      ]),
    ),
  };
}

function parameters({ path, query = {} }: AnyOperation): Pick<OpenApiOperation, 'parameters'> {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name: name!,
    in: 'path',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1 },
  }));
  const inQuery = Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  const all = [...inPath, ...inQuery];
  return all.length > 0 ? { parameters: all } : {};
}

function commonResponses({ method, scopes, input, rawBody }: AnyOperation): Record<number, ResponseDoc> {
  const mayHaveBody = method !== 'GET' && !rawBody;
  const malformed = input
    ? 'The request is malformed, a field is invalid, or a rule refuses it.'
    : 'The body is malformed.';
  return {
    ...(mayHaveBody && { 400: { about: malformed } }),
    ...(scopes && {
      401: { about: 'The token is missing, expired or invalid.' },
      403: { about: 'The token lacks the scope, or is bound to another user.' },
    }),
    ...(mayHaveBody && { 413: { about: 'The body is too large.' }, 415: { about: 'The body is not JSON.' } }),
    ...(scopes && { 503: { about: 'Something we stand on is away; Retry-After says when to try again.' } }),
  };
}

function describeResponse(status: number, doc: ResponseDoc, share: (schema: Schema) => Schema) {
  const type = doc.contentType ?? (doc.schema ? 'application/json' : undefined);
  const content = type
    ? { [type]: { schema: share(doc.schema ?? { type: 'string' }) } }
    : status >= 400 && status !== 401
      ? { 'application/problem+json': { schema: share(problemSchema) } }
      : undefined;
  const headers: [string, { description: string; schema: Schema }][] = Object.entries(doc.headers ?? {}).map(
    ([name, description]) => [name, { description, schema: { type: 'string' } }],
  );
  if (status >= 400) headers.push(['Error-Reason', { description: 'Which error it is.', schema: share(reasonSchema) }]);
  return {
    description: doc.about,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(content && { content }),
  };
}
