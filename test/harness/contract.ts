/** Checks answers against the OpenAPI document: status, headers, media type and body. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openEnum, type OpenApiResponse, type Reference } from '../../src/http/openapi/responses.ts';
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/openapi.ts';
import { operationsOf, type Services } from '../../src/http/routes/index.ts';

export interface CheckedAnswer {
  method: string;
  /** Path and query. */
  address: string;
  status: number;
  headers: Headers;
  /** Absent for a body that is not read to its end. */
  text: string | undefined;
}

type Schema = Record<string, unknown>;

const file = new URL('../../openapi.json', import.meta.url);
const document = JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument;

/** Headers of ours. Wherever one is sent, the document must say so. */
const ownHeaders = [
  'request-id',
  'as-of',
  'retry-after',
  'error-reason',
  'code-length',
  'code-expires-in',
  'challenge',
  'www-authenticate',
  'content-disposition',
];

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false });
addFormats.default(ajv);
ajv.addFormat('int32', true);
// In a test a name that nobody documented is a defect, while a client must expect new ones.
ajv.addKeyword({ keyword: openEnum, validate: (names: string[], value: unknown) => names.includes(String(value)) });

const references = '#/components/schemas/';

/** No member that the document does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  if (typeof inner.$ref === 'string') inner.$ref = inner.$ref.replace(references, '');
  const isRecord = typeof inner.properties === 'object' && inner.additionalProperties === undefined;
  return isRecord ? { ...inner, additionalProperties: false } : inner;
}

for (const [name, schema] of Object.entries(document.components.schemas)) {
  ajv.addSchema({ ...(closed(schema) as Schema), $id: name });
}

const validators = new Map<Schema, ValidateFunction>();

/** What is wrong with a value by a schema of the document. */
export function violationsOf(schema: Schema, value: unknown): string[] {
  let validate = validators.get(schema);
  if (!validate) validators.set(schema, (validate = ajv.compile(closed(schema) as Schema)));
  if (validate(value)) return [];
  return validate.errors!.map(({ instancePath, message, params }) => {
    return `${instancePath || 'the value'} ${message} ${JSON.stringify(params)}`;
  });
}

const paths = Object.entries(document.paths).map(([path, operations]) => ({
  expression: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
  isPlain: !path.includes('{'),
  operations,
}));

/** The operations that no setting removes. None is called here, so the services can be missing. */
const alwaysServed = new Set(
  operationsOf({
    ...{ observer: {}, issuer: undefined, sandbox: undefined, pageNames: [], metricsHere: false },
    pages: { html: {}, docs: [], assets: [] },
  } as unknown as Services).map(({ name }) => name),
);

function operationsAt(address: string): Record<string, OpenApiOperation> | undefined {
  const path = address.split('?')[0]!.split('/').map(decodeSegment).join('/');
  const found = paths.filter(({ expression }) => expression.test(path));
  return (found.find(({ isPlain }) => isPlain) ?? found[0])?.operations;
}

/** An escaped slash divides nothing. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment).replaceAll('/', '%2F');
  } catch {
    return segment;
  }
}

/** One JSON text, not a line of each. */
function isJson(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType.endsWith('+json');
}

/** Errors are described once for all operations that have them. */
export function resolveResponse(response: OpenApiResponse | Reference): OpenApiResponse {
  return '$ref' in response ? document.components.responses[response.$ref.split('/').at(-1)!]! : response;
}

/** What is wrong with an answer; nothing, if it is as the document says. */
export function checkAnswer(answer: CheckedAnswer): string[] {
  const { method, address, status, headers } = answer;
  const reason = headers.get('error-reason');
  if (method === 'OPTIONS' && status === 204) return [];
  const operations = operationsAt(address);
  if (status === 404 && reason === 'not-found' && !isAlwaysServed(operations)) {
    // A browser that asked for a page got one.
    const isPage = headers.get('content-type')?.startsWith('text/html') === true;
    return isPage ? headerViolations(notFound, headers) : answerViolations(notFound, answer);
  }
  if (!operations) return /^\/(assets|docs)\//.test(address) ? [] : [`no such path is documented (status ${status})`];
  const operation = operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (!operation) return wrongMethodViolations(address, { status, reason, headers });
  const documented = operation.responses[status];
  if (!documented) return [`${operation.operationId} does not document the status ${status} (${reason ?? 'no error'})`];
  return answerViolations(resolveResponse(documented), answer).map(
    (violation) => `${operation.operationId} ${status}: ${violation}`,
  );
}

/** The answer to a path that is not there. */
const notFound = document.components.responses['404-not-found']!;

/** Of a path. Operations of one path are there together. */
function isAlwaysServed(operations: Record<string, OpenApiOperation> = {}): boolean {
  return Object.values(operations).some(({ operationId }) => alwaysServed.has(operationId));
}

function answerViolations(response: OpenApiResponse, answer: CheckedAnswer): string[] {
  return [...headerViolations(response, answer.headers), ...bodyViolations(response, answer)];
}

interface AnswerHead {
  status: number;
  reason: string | null;
  headers: Headers;
}

function wrongMethodViolations(address: string, { status, reason, headers }: AnswerHead): string[] {
  // The token endpoint has the reasons of RFC 6749.
  const expected = /^\/connect\/token(?:[/?]|$)/i.test(address) ? 'invalid-request' : 'method-not-allowed';
  const isRight = status === 405 && reason === expected && headers.has('allow');
  return isRight ? [] : [`a method that is not documented got ${status} (${reason})`];
}

function headerViolations({ headers: documented = {} }: OpenApiResponse, headers: Headers): string[] {
  const undocumented = ownHeaders
    .filter((name) => headers.has(name) && !Object.keys(documented).some((known) => known.toLowerCase() === name))
    .map((name) => `the header ${name} is not documented`);
  const wrong = Object.entries(documented).flatMap(([name, { required = false, schema }]) => {
    const text = headers.get(name);
    if (text === null) return required ? [`the header ${name} is missing`] : [];
    const value = schema.type === 'integer' ? Number(text) : text;
    return violationsOf(schema, value).map((violation) => `the header ${name}: ${violation}`);
  });
  return [...undocumented, ...wrong];
}

function bodyViolations({ content }: OpenApiResponse, { method, headers, text }: CheckedAnswer): string[] {
  if (method === 'HEAD' || text === undefined) return [];
  if (!content) return text === '' ? [] : ['a body came where none is documented'];
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const documented = content[type];
  if (!documented) return [`the media type ${type} is not documented`];
  return isJson(type) ? violationsOf(documented.schema, JSON.parse(text)) : [];
}
