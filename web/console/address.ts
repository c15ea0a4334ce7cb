/** The view, the entry in it and the filter are in the address, so that each can be linked: `#messages/17-3?state=failed`. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Filter } from './hrefs.ts';

export interface Address {
  view: string;
  /** The part after the name of the view: `17` in `#webhooks/17`. */
  part: string;
  filter: Filter;
}

function readAddress(): Address {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2);
  const [view = '', part = ''] = path.split('/');
  return { view, part: decoded(part), filter: Object.fromEntries(new URLSearchParams(query)) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

export function useAddress(): Address {
  const [address, setAddress] = useState(readAddress);
  useLayoutEffect(() => {
    const read = () => setAddress(readAddress());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return address;
}

/** `isSame` if it is the same place with another detail, for which the browser's Back needs no step. */
export function goTo(href: string, isSame = false): void {
  if (isSame) location.replace(href);
  else location.hash = href;
}

export function useFilter(): Filter {
  return useAddress().filter;
}
