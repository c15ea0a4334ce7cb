/** Finds the operation for a method and a path. Paths match in any case, with or without a trailing slash. */
import { unknownPath } from '../errors.ts';
import type { AnyOperation } from './operation.ts';

export interface Found {
  operation: AnyOperation;
  /** The methods of the path, if the request has another one. `operation` then has one of them. */
  allowed: string[] | undefined;
  /** The values of the parameters in the path, in lower case: `{id}` as `id`. */
  parameters: PathParameters;
}

export type PathParameters = Readonly<Record<string, string>>;

type Methods = Map<string, AnyOperation>;

const noParameters: PathParameters = {};

export function createRouting(operations: readonly AnyOperation[]) {
  const plain = new Map<string, Methods>();
  const patterns = new Map<string, { expression: RegExp; names: string[]; methods: Methods }>();
  for (const operation of operations) {
    const path = operation.path.toLowerCase();
    let methods = plain.get(path) ?? patterns.get(path)?.methods;
    if (!methods) {
      methods = new Map();
      if (path.includes('{')) {
        const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
        const expression = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
        patterns.set(path, { expression, names, methods });
      } else plain.set(path, methods);
    }
    methods.set(operation.method, operation);
    if (operation.method === 'GET') methods.set('HEAD', operation);
  }

  function methodsAt(path: string): { methods: Methods; parameters: PathParameters } | undefined {
    const methods = plain.get(path);
    if (methods) return { methods, parameters: noParameters };
    for (const pattern of patterns.values()) {
      const match = pattern.expression.exec(path);
      if (!match) continue;
      const { methods: found, names } = pattern;
      return { methods: found, parameters: Object.fromEntries(names.map((name, index) => [name, match[index + 1]!])) };
    }
    return undefined;
  }

  return function find(method: string, address: string): Found {
    const at = methodsAt(pathOf(address));
    if (!at) throw unknownPath();
    const { methods, parameters } = at;
    const operation = methods.get(method);
    if (operation) return { operation, allowed: undefined, parameters };
    return { operation: methods.values().next().value!, allowed: [...methods.keys()], parameters };
  };
}

function pathOf(address: string): string {
  const query = address.indexOf('?');
  const path = decoded(query < 0 ? address : address.slice(0, query)).toLowerCase();
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Segment by segment, so that an escaped slash stays a part of its segment, as in .NET. */
function decoded(path: string): string {
  return path.includes('%') ? path.split('/').map(decodedSegment).join('/') : path;
}

/** A segment with a broken escape or an escaped slash is not decoded; at most it is an unknown id. */
function decodedSegment(segment: string): string {
  try {
    const text = decodeURIComponent(segment);
    return text.includes('/') ? segment : text;
  } catch {
    return segment;
  }
}
