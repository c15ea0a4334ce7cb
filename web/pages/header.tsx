/** The header of every page. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import icon from '../icon.svg';
import { Icon } from '../ui/icons.tsx';
import { Options } from '../ui/options.tsx';
import { Popover } from '../ui/popover.tsx';
import { languageNames, languageOf, languages, type Language } from '../intl/languages/languages.ts';
import { pageTexts } from '../intl/languages/page-texts.ts';
import { applyTheme, chooseLanguage, chooseTheme, chosenTheme, themes, type Theme } from './preferences.ts';
import { QuietButton } from '../ui/quiet-button.tsx';

const links = [
  ['/', 'sandbox'],
  ['/wallet', 'wallet'],
  ['/console', 'console'],
  ['/docs', 'docs'],
] as const;

interface HeaderProps {
  here: 'sandbox' | 'wallet' | 'console' | 'docs';
  /** The locale of the page, for a page with texts in all languages. Others are English. */
  locale?: string;
  /** Given while there is a session that can be ended. */
  onSignOut?: (() => void) | undefined;
  /** More controls of the page. */
  children?: ComponentChildren;
}

/** The content of the page has the id `content`. */
export function Header({ here, locale = 'en', onSignOut, children }: HeaderProps) {
  const texts = pageTexts.of(locale);
  // Outside the sandbox a page cannot know which others are served.
  const shown = links.filter(([, name]) => isSandbox || name === here || name === 'docs');
  return (
    <header class="page-header">
      <a class="skip" href="#content" onClick={focusContent}>
        {texts.skip}
      </a>
      <a class="brand" href={addressOf(isSandbox ? 'sandbox' : here)}>
        <img src={icon} alt="" width="28" height="28" />
        <span>Ledgerline</span>
      </a>
      <nav aria-label={texts.pages}>
        {shown.map(([href, name]) => (
          <a key={href} href={addressOf(name)} aria-current={name === here ? 'page' : undefined}>
            {texts[name]}
          </a>
        ))}
      </nav>
      {children}
      <Preferences locale={locale} hasLanguages={here !== 'docs' && here !== 'console'} />
      {onSignOut && <QuietButton onClick={onSignOut}>{texts.signOut}</QuietButton>}
    </header>
  );
}

/** From a wallet the link to the wallet leads to the same individual. */
function addressOf(page: HeaderProps['here']): string {
  const [href] = links.find(([, name]) => name === page)!;
  const individual = page === 'wallet' && new URL(location.href).searchParams.get('individual');
  return individual ? `${href}?${new URLSearchParams({ individual }).toString()}` : href;
}

/** The address may contain the state of the page, so it is not changed. */
function focusContent(event: Event): void {
  event.preventDefault();
  const content = document.getElementById('content')!;
  content.tabIndex = -1;
  content.focus();
}

function Preferences({ locale, hasLanguages }: { locale: string; hasLanguages: boolean }) {
  const texts = pageTexts.of(locale);
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <Popover class="icon-button" button={<Icon name="globe" />} label={texts.settings} buttonLabel={texts.settings}>
      <div class="preferences">
        {hasLanguages && (
          <label>
            {texts.language}
            <select
              value={languageOf(locale)}
              onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}
            >
              {languages.map((language) => (
                <option key={language} value={language} lang={language}>
                  {languageNames[language]}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          {texts.theme}
          <select
            value={theme}
            onChange={(event) => {
              const next = event.currentTarget.value as Theme;
              setTheme(next);
              chooseTheme(next);
            }}
          >
            <Options of={themes.map((name) => [name, texts.themes[name]] as const)} />
          </select>
        </label>
      </div>
    </Popover>
  );
}

/** Written into the page by the service. */
export const isSandbox = document.documentElement.dataset.mode === 'sandbox';

applyTheme();
