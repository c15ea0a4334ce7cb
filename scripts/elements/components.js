/** Components for React, and the types of the elements in JSX, made from their descriptions. */
import { attributeTypeOf, propertyNameOf } from './declaration.js';

/** `ledgerline-session-expired` as `onSessionExpired`. */
const handlerNameOf = (event) => `on${propertyNameOf(event.replace('ledgerline', ''))}`;

const settableProperties = ({ properties }) => Object.entries(properties).filter(([, { isReadonly }]) => !isReadonly);

const scriptOf = ({ tag }) => `../${tag.replace('ledgerline-', '')}/${tag}.js`;

/** The script of the components. An element is loaded when its component is first shown. */
export function componentsOf(descriptions) {
  const components = descriptions.map((description) => {
    const { tag, className, attributes, events } = description;
    const properties = [
      ...Object.keys(attributes).map(propertyNameOf),
      ...settableProperties(description).map(([name]) => name),
    ];
    const handlers = Object.keys(events).map((event) => [handlerNameOf(event), event]);
    return `export const ${className} = componentOf(
  '${tag}',
  () => import('${scriptOf(description)}'),
  ${JSON.stringify(properties)},
  ${JSON.stringify(handlers)},
);`;
  });
  return `'use client';
import { createElement, forwardRef, useCallback, useEffect, useLayoutEffect, useRef } from 'react';

const useEarlyEffect = typeof window === 'undefined' ? useEffect : useLayoutEffect;

function componentOf(tag, load, properties, handlers) {
  const component = forwardRef((props, ref) => {
    const element = useRef(null);
    const latest = useRef(props);
    const before = useRef({});
    const attach = useCallback(
      (node) => {
        element.current = node;
        if (typeof ref === 'function') return ref(node);
        if (ref) ref.current = node;
      },
      [ref],
    );
    useEarlyEffect(() => {
      latest.current = props;
      for (const name of properties) {
        if (props[name] !== before.current[name]) element.current[name] = props[name];
      }
      before.current = props;
    });
    useEarlyEffect(() => {
      load();
      const node = element.current;
      const listeners = handlers.map(([handler, event]) => [event, (heard) => latest.current[handler]?.(heard)]);
      for (const [event, listener] of listeners) node.addEventListener(event, listener);
      return () => {
        for (const [event, listener] of listeners) node.removeEventListener(event, listener);
      };
    }, []);
    const rest = Object.entries(props).filter(
      ([name]) => !properties.includes(name) && !handlers.some(([handler]) => handler === name),
    );
    const { className, ...others } = Object.fromEntries(rest);
    return createElement(tag, { ...others, class: className, ref: attach });
  });
  component.displayName = tag;
  return component;
}

${components.join('\n\n')}
`;
}

const members = (description) => [
  ...Object.entries(description.attributes).map(([name, { about }]) => ({
    name,
    property: propertyNameOf(name),
    type: attributeTypeOf(description, name),
    about,
  })),
  ...settableProperties(description).map(([name, { type, about }]) => ({ name, property: name, type, about })),
];

const imports = (descriptions) =>
  descriptions
    .map(
      (
        description,
      ) => `export type { ${description.className} as ${description.className}Element } from '${scriptOf(description)}';
import type * as ${description.className}Module from '${scriptOf(description)}';`,
    )
    .join('\n');

/** The types of the components, and of the elements themselves in JSX of React. */
export function componentTypesOf(descriptions) {
  const types = descriptions.map((description) => {
    const { className, about, events } = description;
    const module = `${className}Module`;
    return `/** The properties of the component. */
export interface ${className}Props extends CommonProps {
${members(description)
  .map(({ property, type, about: text }) => `  /** ${text} */\n  ${property}?: ${qualified(type, module)} | undefined;`)
  .join('\n')}
${Object.entries(events)
  .map(
    ([event, { about: text }]) =>
      `  /** ${text} */\n  ${handlerNameOf(event)}?: ((event: ${module}.${className}EventMap['${event}']) => void) | undefined;`,
  )
  .join('\n')}
}

/** ${about} */
export declare const ${className}: ForwardRefExoticComponent<${className}Props & RefAttributes<${module}.${className}>>;`;
  });
  return `import type { CSSProperties, DetailedHTMLProps, ForwardRefExoticComponent, HTMLAttributes, ReactNode, RefAttributes } from 'react';
${imports(descriptions)}

interface CommonProps {
  id?: string | undefined;
  className?: string | undefined;
  style?: CSSProperties | undefined;
  slot?: string | undefined;
  hidden?: boolean | undefined;
  children?: ReactNode;
}

${types.join('\n\n')}

type InReact<Element, Own> = Omit<DetailedHTMLProps<HTMLAttributes<Element>, Element>, keyof Own> & Own;

${intrinsics(descriptions, 'react', 'InReact')}
`;
}

/** The types of the elements in JSX of Preact. */
export function preactTypesOf(descriptions) {
  return `import type { HTMLAttributes } from 'preact';
${imports(descriptions)}

type InPreact<Element extends EventTarget, Own> = Omit<HTMLAttributes<Element>, keyof Own> & Own;

${intrinsics(descriptions, 'preact', 'InPreact')}
`;
}

/** In JSX an element has its attributes, its properties, and `on` before the names of its events. */
function intrinsics(descriptions, framework, wrapper) {
  const own = descriptions.map((description) => {
    const { className, events } = description;
    const module = `${className}Module`;
    return `export interface ${className}Attributes {
${members(description)
  .map(({ name, type, about }) => `  /** ${about} */\n  '${name}'?: ${qualified(type, module)} | undefined;`)
  .join('\n')}
${Object.entries(events)
  .map(
    ([event, { about }]) =>
      `  /** ${about} */\n  'on${event}'?: ((event: ${module}.${className}EventMap['${event}']) => void) | undefined;`,
  )
  .join('\n')}
}`;
  });
  const elements = descriptions.map(
    ({ tag, className }) => `      '${tag}': ${wrapper}<${className}Module.${className}, ${className}Attributes>;`,
  );
  return `${own.join('\n\n')}

declare module '${framework}' {
  namespace JSX {
    interface IntrinsicElements {
${elements.join('\n')}
    }
  }
}`;
}

/** Types of the element's own module are named with it. */
function qualified(type, module) {
  return type.replaceAll(/\bTokenSource\b/g, `${module}.TokenSource`);
}
