/** Generates the OpenAPI document from the operations. */
import { needsBody, type AnyOperation } from '../operation.ts';
import { bearerAbout, describeTags, guide } from './guide.ts';
import { problemExamples, type OpenApiExample } from './examples.ts';
import { describeResponses, type OpenApiResponse, type Reference, type Shared } from './responses.ts';
import type { Schema } from '../../formats/shape.ts';
import { version } from '../../version.ts';

type DescribeWebhooks = (share: Shared['schema']) => Record<string, unknown>;

export interface OpenApiDocument {
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas: Record<string, Schema>;
    /** The errors of operations, by status and reasons. */
    responses: Record<string, OpenApiResponse>;
    examples: Record<string, OpenApiExample>;
    securitySchemes: unknown;
  };
}

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  'x-scopes'?: readonly string[];
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, OpenApiResponse | Reference>;
}

/** `describeWebhooks` describes what the service sends to its receivers. */
export function openApiDocument(
  operations: AnyOperation[],
  describeWebhooks: DescribeWebhooks,
): OpenApiDocument & Record<string, unknown> {
  const schemas: Record<string, Schema> = {};
  const responses: Record<string, OpenApiResponse> = {};
  const shared: Shared = {
    schema: sharer(schemas),
    response(name, response) {
      responses[name] = response;
      return { $ref: `#/components/responses/${name}` };
    },
  };
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation, shared);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Ledgerline', version, description: guide() },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: describeTags(operations.map(({ tag }) => tag)),
    paths,
    webhooks: describeWebhooks(shared.schema),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: bearerAbout } },
      schemas,
      responses,
      examples: problemExamples(),
    },
  };
}

/** Moves schemas with a title to `components` and refers to them. */
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

function describe(operation: AnyOperation, shared: Shared): OpenApiOperation & Record<string, unknown> {
  const { name, tag, summary, about, scopes, input, formSchema, example, streams } = operation;
  const content = (schema: Schema) => ({
    'application/json': { schema: shared.schema(schema), ...(example !== undefined && { example }) },
    ...(streams && { [streams.mediaTypes[0]!]: { schema: { type: 'string' }, example: streams.example } }),
  });
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(about && { description: about }),
    ...(scopes ? { 'x-scopes': scopes } : { security: [] }),
    ...parameters(operation),
    ...(input && {
      requestBody: { required: needsBody(operation), content: content({ title: input.name, ...input.schema }) },
    }),
    ...(formSchema && {
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: formSchema, example } },
      },
    }),
    responses: describeResponses(operation, shared),
  };
}

const numericId = { type: 'integer', format: 'int32', minimum: 1 };

function parameters({ path, query, requestHeaders = {} }: AnyOperation): Pick<OpenApiOperation, 'parameters'> {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name: name!,
    in: 'path',
    required: true,
    schema: name === 'id' ? numericId : { type: 'string', format: 'uuid' },
  }));
  const inQuery = (query?.parameters ?? []).map((parameter) => ({ ...parameter, in: 'query' }));
  const inHeader = Object.entries(requestHeaders).map(([name, description]) => ({
    ...{ name, in: 'header', required: false, description },
    schema: { type: 'string' },
  }));
  const all = [...inPath, ...inQuery, ...inHeader];
  return all.length > 0 ? { parameters: all } : {};
}
