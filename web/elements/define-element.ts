/** How an element becomes known to the page, and how its attributes become properties. */

/** What an attribute says. A boolean one says it by being there. */
export type AttributeKind = 'string' | 'number' | 'boolean';

/** The attributes of an element, from their names to their kinds. */
export type Attributes = Readonly<Record<string, AttributeKind>>;

/** `base-url` as `baseUrl`. */
export function propertyNameOf(attribute: string): string {
  return attribute.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Defines the element, if there is a page: on a server the import does nothing. Each attribute is also a property, since
 * some frameworks set one and some the other.
 */
export function defineElement(name: string, element: CustomElementConstructor, attributes: Attributes): void {
  for (const [attribute, kind] of Object.entries(attributes)) {
    const property = propertyNameOf(attribute);
    // HTML has some of them already, such as `autofocus`.
    if (!(property in element.prototype))
      Object.defineProperty(element.prototype, property, accessorOf(attribute, kind));
  }
  const registry = globalThis.customElements as CustomElementRegistry | undefined;
  if (registry && !registry.get(name)) registry.define(name, element);
}

function accessorOf(attribute: string, kind: AttributeKind): PropertyDescriptor & ThisType<HTMLElement> {
  return {
    configurable: true,
    enumerable: true,
    get() {
      const text = this.getAttribute(attribute);
      if (kind === 'boolean') return text !== null;
      return kind === 'string' ? (text ?? '') : text === null ? null : Number(text);
    },
    set(value: unknown) {
      if (kind === 'boolean') this.toggleAttribute(attribute, Boolean(value));
      else if (value === null || value === undefined) this.removeAttribute(attribute);
      else this.setAttribute(attribute, String(value));
    },
  };
}

/** A page may set properties before the script of the element is loaded. They would hide those of the element. */
export function takeEarlyProperties(element: HTMLElement): void {
  for (const name of Object.keys(element)) {
    if (!(name in Object.getPrototypeOf(element))) continue;
    const value: unknown = Reflect.get(element, name);
    Reflect.deleteProperty(element, name);
    Reflect.set(element, name, value);
  }
}

/** The base class of all elements. On a server, where there is none, it is empty. */
export const ElementBase =
  (globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ?? (Object as unknown as typeof HTMLElement);
