/** The API reference: Scalar, loaded from this service, below the header of all pages. */
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { clientCredentials } from '../../client/index.ts';
import { Header, isSandbox } from './header.tsx';
import { isDark, watchTheme } from './preferences.ts';

/** The part of Scalar's interface that this page uses. */
interface Scalar {
  createApiReference(
    element: Element,
    configuration: Record<string, unknown>,
  ): {
    updateConfiguration(configuration: Record<string, unknown>): void;
  };
}

/** Languages of the samples, by Scalar's names for them. */
const sampleClients: Record<string, string> = { shell: 'curl', js: 'fetch', python: 'requests', csharp: 'httpclient' };

const otherLanguages = [
  'c',
  'clojure',
  'dart',
  'fsharp',
  'go',
  'http',
  'java',
  'julia',
  'kotlin',
  'node',
  'objc',
  'ocaml',
  'php',
  'powershell',
  'r',
  'ruby',
  'rust',
  'swift',
];

const otherClients: Record<string, string[]> = {
  shell: ['wget', 'httpie'],
  js: ['axios', 'jquery', 'ofetch', 'xhr'],
  python: ['python3', 'aiohttp', 'httpx_sync', 'httpx_async'],
  csharp: ['restsharp'],
};

function ReferencePage() {
  const box = useRef<HTMLDivElement>(null);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    show(box.current!).catch(() => setFailed(true));
  }, []);
  return (
    <>
      <Header here="docs" />
      <div id="content">
        {isFailed && (
          <p class="complaint" role="alert">
            The reference could not be loaded. Reload the page, or read <a href="/openapi.json">openapi.json</a>.
          </p>
        )}
        <div ref={box} class="reference" />
      </div>
    </>
  );
}

/**
 * The page's policy allows style sheets with its nonce. Scalar gives the nonce to the first one only; this gives it to
 * those that its editor and its theme add.
 */
function allowStyleSheets(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')!.content;
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const element: HTMLElement = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
}

async function show(element: Element): Promise<void> {
  allowStyleSheets();
  const [scalar, content, token] = await Promise.all([
    import(/* @vite-ignore */ __SCALAR__) as Promise<Scalar>,
    fetch('/openapi.json').then((response) => response.json() as Promise<unknown>),
    sandboxToken(),
  ]);
  const configuration = {
    content,
    baseServerURL: location.origin,
    authentication: { preferredSecurityScheme: 'bearer', securitySchemes: { bearer: { token } } },
    theme: 'none',
    withDefaultFonts: false,
    hiddenClients: { ...Object.fromEntries(otherLanguages.map((name) => [name, true])), ...otherClients },
    defaultHttpClient: { targetKey: 'shell', clientKey: sampleClients.shell },
    hideDarkModeToggle: true,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    telemetry: false,
    persistAuth: false,
    documentDownloadType: 'json',
    defaultOpenFirstTag: true,
  };
  const colours = () => ({ forceDarkModeState: isDark() ? 'dark' : 'light' });
  const reference = scalar.createApiReference(element, { ...configuration, ...colours() });
  watchTheme(() => reference.updateConfiguration({ ...configuration, ...colours() }));
}

/** A sandbox gives a token to every caller. Otherwise, and if that fails, the reader pastes one. */
async function sandboxToken(): Promise<string> {
  if (!isSandbox) return '';
  const token = clientCredentials({ baseUrl: '', clientId: 'sandbox', clientSecret: 'sandbox' });
  return Promise.resolve(token(false)).catch(() => '');
}

render(<ReferencePage />, document.getElementById('page')!);
