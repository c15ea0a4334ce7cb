/** The header of every page. */
import icon from '../icon.svg';

const links = [
  ['/', 'Sandbox', 'sandbox'],
  ['/wallet', 'Wallet', 'wallet'],
  ['/console', 'Console', 'console'],
  ['/docs', 'API', 'docs'],
] as const;

export function Header({ here }: { here: 'sandbox' | 'wallet' | 'console' }) {
  // Outside the sandbox a page cannot know which others are served.
  const shown = links.filter(([, , name]) => isSandbox || name === here || name === 'docs');
  return (
    <header class="page-header">
      <a class="brand" href={links.find(([, , name]) => name === (isSandbox ? 'sandbox' : here))![0]}>
        <img src={icon} alt="" width="28" height="28" />
        <span>Ledgerline</span>
      </a>
      <nav aria-label="Pages">
        {shown.map(([href, text, name]) => (
          <a key={href} href={href} aria-current={name === here ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
    </header>
  );
}

/** Written into the page by the service. */
export const isSandbox = document.documentElement.dataset.mode === 'sandbox';
