/** The form that sends a request of the reader's own and shows the answer. */
import { isSandbox } from './header.tsx';
import { sandboxToken } from './sandbox-token.ts';

/** A sandbox gives a token to every caller. Elsewhere, or if it fails, the reader pastes one. */
async function tokenIfSandbox(): Promise<string> {
  if (!isSandbox) return '';
  return Promise.resolve(sandboxToken()(false)).catch(() => '');
}

const shownHeaders = [
  'content-type',
  'error-reason',
  'retry-after',
  'location',
  'as-of',
  'code-length',
  'code-expires-in',
  'request-id',
];

/** The longest answer that is shown. A longer one would make the page slow. */
const shownCharacters = 20_000;

export function prepareTryForm(form: HTMLFormElement): void {
  const token = form.querySelector<HTMLInputElement>('[name=token]');
  if (token && isSandbox) token.placeholder = 'Leave it empty: the sandbox gives one';
  const answer = form.parentElement!.querySelector<HTMLElement>('.answer')!;
  const button = form.querySelector('button')!;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.dataset.method === 'DELETE' && !isConfirmed(form)) return;
    button.disabled = true;
    send(form)
      .then((lines) => show(answer, lines))
      .catch((error: unknown) => show(answer, [`The request failed: ${String(error)}`]))
      .finally(() => (button.disabled = false));
  });
}

/** What is removed cannot be restored, and the address is filled in already. */
function isConfirmed(form: HTMLFormElement): boolean {
  const what = document.querySelector('h1')!.innerText;
  const address = new URL(new FormData(form).get('address') as string, location.href).href;
  return confirm(`${what}? This cannot be undone.\n\nDELETE ${address}`);
}

async function send(form: HTMLFormElement): Promise<string[]> {
  const fields = new FormData(form);
  const text = (name: string) => (fields.get(name) as string | null) ?? '';
  const token = text('token').trim() || (fields.has('token') ? await tokenIfSandbox() : '');
  const body = fields.has('body') ? text('body') : undefined;
  const response = await fetch(text('address'), {
    method: form.dataset.method!,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': form.dataset.type! }),
    },
    ...(body !== undefined && { body }),
  });
  const headers = shownHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  const content = await response.text();
  return [`${response.status} ${response.statusText}`, ...headers, '', readable(content)];
}

/** JSON with line breaks. Only white space is added, so that an amount keeps its digits. */
function readable(content: string): string {
  if (content.length > shownCharacters)
    return `${content.slice(0, shownCharacters)}\n… ${content.length - shownCharacters} more characters`;
  if (!/^\s*[[{]/.test(content)) return content;
  let depth = 0;
  const lineBreak = (change: number) => `\n${'  '.repeat((depth += change))}`;
  return content.replaceAll(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[[{]|[\]}]|[,:]|\s+/g, (token) => {
    if (token === '{' || token === '[') return token + lineBreak(1);
    if (token === '}' || token === ']') return lineBreak(-1) + token;
    if (token === ',') return token + lineBreak(0);
    if (token === ':') return ': ';
    return token.trim();
  });
}

function show(place: HTMLElement, lines: string[]): void {
  const block = document.createElement('pre');
  block.tabIndex = 0;
  block.textContent = lines.join('\n').trim();
  place.replaceChildren(block);
}
