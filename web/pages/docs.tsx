/**
 * The documentation: pages that were rendered at build time. This script adds what depends on the reader: the header,
 * the search, the origin in the samples, and the form that tries an operation.
 */
import { render } from 'preact';
import { DocsSearch } from './docs-search.tsx';
import { prepareTryForm } from './docs-try.ts';
import { Header, isSandbox } from './header.tsx';

/**
 * In a sandbox, which texts nobody, a new number for each page, so that trying it twice is no error. Elsewhere one of
 * those that Ofcom keeps for fiction.
 */
const freshNumber = () =>
  isSandbox ? `+4474009${String(Math.floor(Math.random() * 100_000)).padStart(5, '0')}` : '+447700900123';

/** Production refuses the client of the sandbox. */
function withOwnClient(text: string): string {
  if (isSandbox) return text;
  return text.replaceAll(/(client_(id|secret)\W+)sandbox/g, (_, before, what) => `${before}your-client-${what}`);
}

function fillPlaceholders(): void {
  const values: Record<string, string> = { '{origin}': location.origin, '{phoneNumber}': freshNumber() };
  const fill = (text: string) => withOwnClient(text.replaceAll(/\{(origin|phoneNumber)\}/g, (mark) => values[mark]!));
  const texts = document.createTreeWalker(document.getElementById('content')!, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode as Text;
    if (/[{=]/.test(data)) (texts.currentNode as Text).data = fill(data);
  }
}

/** A button at each block of code that copies it. */
function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy small';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(block.querySelector('pre')!.innerText).then(
        () => showFor(button, 'Copied'),
        () => showFor(button, 'Select and copy it yourself'),
      );
    });
    block.append(button);
  }
}

function showFor(button: HTMLElement, text: string): void {
  button.textContent = text;
  setTimeout(() => (button.textContent = 'Copy'), 2000);
}

/** Arrow keys move between the languages of the samples, as the pattern for tabs asks. */
function prepareTabs(list: HTMLElement): void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')];
  const select = (chosen: HTMLElement) => {
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls')!)!.hidden = tab !== chosen;
    }
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => select(tab));
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step === undefined) return;
      const next = tabs[(index + step + tabs.length) % tabs.length]!;
      select(next);
      next.focus();
    });
  }
}

/** On a narrow screen the navigation is behind a button. */
function prepareNavigation(): void {
  const button = document.getElementById('open-navigation')!;
  const navigation = document.getElementById('navigation')!;
  button.addEventListener('click', () => {
    const isOpen = navigation.classList.toggle('open');
    button.setAttribute('aria-expanded', String(isOpen));
  });
  // The place of the current page may be below the visible part of the list.
  const current = navigation.querySelector<HTMLElement>('[aria-current]');
  if (current) navigation.scrollTop = current.offsetTop - navigation.clientHeight / 2;
}

render(<Header here="docs" />, document.getElementById('page-header')!);
render(<DocsSearch />, document.getElementById('search')!);
fillPlaceholders();
addCopyButtons();
prepareNavigation();
for (const list of document.querySelectorAll<HTMLElement>('[role=tablist]')) prepareTabs(list);
for (const form of document.querySelectorAll<HTMLFormElement>('.try form')) prepareTryForm(form);
