/** The requests of the app, each as code in the language that the viewer chose. */
import { useState } from 'preact/hooks';
import { CopyButton } from '../ui/copy-button.tsx';
import { readStored, store } from '../data/storage.ts';
import type { Exchange } from './exchanges.ts';
import { texts } from './sandbox-page-texts.ts';
import { highlight, languages, sampleOf, type Language } from './samples.ts';

const languageKey = 'ledgerline-sandbox-language';

function rememberedLanguage(): Language {
  return languages.find((language) => language === readStored(languageKey)) ?? 'curl';
}

export function ExchangeList({ exchanges }: { exchanges: Exchange[] }) {
  const [language, setLanguage] = useState(rememberedLanguage);
  function choose(next: Language): void {
    setLanguage(next);
    store(languageKey, next);
  }
  return (
    <section class="exchanges" aria-label={texts.calls}>
      <header>
        <h2>{texts.callsTitle}</h2>
        <div class="segment-group" role="group" aria-label={texts.sampleLanguage}>
          {languages.map((name) => (
            <button type="button" key={name} dir="ltr" aria-pressed={name === language} onClick={() => choose(name)}>
              {name}
            </button>
          ))}
        </div>
      </header>
      {exchanges.length === 0 && <p class="soft">{texts.noCalls}</p>}
      <ol>
        {exchanges.map((exchange) => (
          <li key={exchange.id} class="card">
            <ExchangeCard exchange={exchange} language={language} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function ExchangeCard({ exchange, language }: { exchange: Exchange; language: Language }) {
  const { request, status, headers, body } = exchange;
  const { method, url } = request;
  const address = url.pathname + url.search;
  const sample = sampleOf(language, request);
  return (
    <>
      <header>
        <h3 dir="ltr">
          <span class="method">{method}</span> <code>{address}</code>
        </h3>
        <span class={status < 300 ? 'state-mark is-good' : 'state-mark is-bad'}>{status}</span>
        {/* Another sample has not been copied yet. */}
        <CopyButton key={language} text={sample} what={`${language}, ${method} ${address}`} words={texts} />
      </header>
      <pre tabIndex={0} aria-label={language} dir="ltr">
        <Highlighted language={language} text={sample} />
      </pre>
      {(headers.length > 0 || body) && (
        <pre class="answer" dir="ltr" tabIndex={0} aria-label={texts.answer}>
          <Highlighted language="answer" text={[...headers, body].filter(Boolean).join('\n')} />
        </pre>
      )}
    </>
  );
}

function Highlighted({ language, text }: { language: Language | 'answer'; text: string }) {
  return highlight(language, text).map(({ kind, text: part }, index) =>
    kind === 'text' ? (
      part
    ) : (
      <span key={index} class={kind}>
        {part}
      </span>
    ),
  );
}
