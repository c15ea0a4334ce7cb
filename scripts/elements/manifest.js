/** The manifest of custom elements, which editors and documentation tools read: https://custom-elements-manifest.open-wc.org */
import { attributeTypeOf, propertyNameOf } from './declaration.js';

export function manifestOf(descriptions, cssProperties) {
  return {
    schemaVersion: '1.0.0',
    readme: 'README.md',
    modules: descriptions.map((each) => moduleOf(each, cssProperties)),
  };
}

function moduleOf(description, cssProperties) {
  const { tag, className } = description;
  const path = `dist/${tag.replace('ledgerline-', '')}/${tag}.js`;
  return {
    kind: 'javascript-module',
    path,
    declarations: [declarationOf(description, cssProperties)],
    exports: [
      { kind: 'js', name: className, declaration: { name: className, module: path } },
      { kind: 'custom-element-definition', name: tag, declaration: { name: className, module: path } },
    ],
  };
}

function declarationOf(description, cssProperties) {
  const { tag, className, about, attributes, properties, methods, events, parts, slots } = description;
  const named = (entries) => Object.entries(entries).map(([name, text]) => ({ name, description: text }));
  return {
    kind: 'class',
    name: className,
    tagName: tag,
    customElement: true,
    description: about,
    superclass: { name: 'HTMLElement' },
    attributes: Object.entries(attributes).map(([name, { about: text }]) => ({
      name,
      type: { text: attributeTypeOf(description, name) },
      description: text,
      fieldName: propertyNameOf(name),
    })),
    members: [
      ...Object.entries(properties).map(([name, { type, about: text, isReadonly = false }]) => ({
        kind: 'field',
        name,
        type: { text: type },
        description: text,
        readonly: isReadonly,
      })),
      ...Object.entries(methods).map(([name, { about: text }]) => ({ kind: 'method', name, description: text })),
    ],
    events: Object.entries(events).map(([name, { detail, about: text }]) => ({
      name,
      type: { text: `CustomEvent<${detail}>` },
      description: text,
    })),
    cssParts: named(parts),
    cssProperties: Object.entries(cssProperties).map(([name, text]) => ({
      name: `--ledgerline-${name}`,
      description: text,
    })),
    slots: named(slots),
  };
}
