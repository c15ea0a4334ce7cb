/** The types of an element, made from its description. */

/** `base-url` as `baseUrl`. */
export const propertyNameOf = (attribute) => attribute.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** The type of the property of an attribute. */
export function attributeTypeOf({ attributeKinds, attributes }, name) {
  return attributes[name].values ?? attributeKinds[name];
}

/** HTML has some attributes as properties already. */
const isNative = (name) => name === 'autofocus';

const listenerOverloads = (method, options, className) =>
  ['Own', 'HTML', ''].map((kind) => {
    const [generic, type, event] = {
      Own: [`<Name extends keyof ${className}EventMap>`, 'Name', `${className}EventMap[Name]`],
      HTML: ['<Name extends keyof HTMLElementEventMap>', 'Name', 'HTMLElementEventMap[Name]'],
      '': ['', 'string', ''],
    }[kind];
    const listener = event ? `(this: ${className}, event: ${event}) => unknown` : 'EventListenerOrEventListenerObject';
    return `  ${method}${generic}(type: ${type}, listener: ${listener}, options?: boolean | ${options}): void;`;
  });

/** `details` are the types of what the element tells the page. */
export function declarationOf(description, details) {
  const { tag, className, about, attributes, properties, methods, events } = description;
  const own = Object.keys(attributes).filter((name) => !isNative(name));
  const nullable = (name) => (description.attributeKinds[name] === 'number' ? ' | null' : '');
  const members = [
    ...own.map((name) => [
      attributes[name].about,
      `${propertyNameOf(name)}: ${attributeTypeOf(description, name)}${nullable(name)};`,
    ]),
    ...Object.entries(properties).map(([name, { type, about: text, isReadonly }]) => [
      text,
      `${isReadonly ? 'readonly ' : ''}${name}: ${type};`,
    ]),
    ...Object.entries(methods).map(([name, { parameters, about: text }]) => [text, `${name}(${parameters}): void;`]),
  ];
  return `${details}
/** ${about} */
export declare class ${className} extends HTMLElement {
${members.map(([text, member]) => `  /** ${text} */\n  ${member}`).join('\n')}
}

export interface ${className} {
${listenerOverloads('addEventListener', 'AddEventListenerOptions', className).join('\n')}
${listenerOverloads('removeEventListener', 'EventListenerOptions', className).join('\n')}
}

export interface ${className}EventMap {
${Object.entries(events)
  .map(([name, { detail, about: text }]) => `  /** ${text} */\n  '${name}': CustomEvent<${detail}>;`)
  .join('\n')}
}

declare global {
  interface HTMLElementTagNameMap {
    '${tag}': ${className};
  }
}
`;
}
