/** The page of one operation: what it does, its members and answers; samples and a form to try it. */
import { html } from './html.js';
import { renderMarkdown } from './markdown.js';
import { exampleAddress, samplesOf } from './samples.js';
import { createResolver, members, parameterList } from './schema.js';

const json = (value) => JSON.stringify(value, null, 2);

function requestOf({ method, path, operation, resolve }) {
  const parameters = operation.parameters ?? [];
  const [contentType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  return {
    method,
    address: exampleAddress(
      path,
      parameters.map((each) => ({ ...each, schema: resolve(each.schema) })),
    ),
    needsToken: operation.security === undefined,
    isForm: contentType === 'application/x-www-form-urlencoded',
    body: content && (content.example ?? {}),
  };
}

const codeBlock = (text) =>
  html`<div class="code">
    <pre tabindex="0"><code>${text}</code></pre>
  </div>`;

function samples(request) {
  const all = samplesOf(request);
  return html`<section class="samples card" aria-label="Samples">
    <div class="segment-group" role="tablist" aria-label="Language of the sample">
      ${all.map(
        ({ language }, index) =>
          html`<button
            type="button"
            role="tab"
            id="tab-${index}"
            aria-controls="sample-${index}"
            aria-selected="${index === 0}"
            tabindex="${index === 0 ? 0 : -1}"
          >
            ${language}
          </button>`,
      )}
    </div>
    ${all.map(
      ({ text }, index) =>
        html`<div role="tabpanel" id="sample-${index}" aria-labelledby="tab-${index}" ${index > 0 ? html` hidden` : ''}>
          ${codeBlock(text)}
        </div>`,
    )}
  </section>`;
}

/** Files and streams are not shown in the page. */
const canBeTried = ({ responses }) =>
  !Object.values(responses).some(({ content }) =>
    Object.keys(content ?? {}).some((type) => /event-stream|pdf/.test(type)),
  );

function tryForm({ method, address, needsToken, isForm, body }) {
  const text = isForm ? new URLSearchParams(body).toString() : body && json(body);
  return html`<section class="try card" aria-labelledby="try">
    <h2 id="try">Try it</h2>
    <form data-method="${method}" data-type="${isForm ? 'application/x-www-form-urlencoded' : 'application/json'}">
      <label>Address <input name="address" value="${address}" spellcheck="false" autocomplete="off" /></label>
      ${needsToken && html`<label>Token <input name="token" autocomplete="off" spellcheck="false" placeholder="Paste an access token" /></label>`}
      ${text !== undefined && html`<label>Body <textarea name="body" rows="${Math.min(12, text.split('\n').length + 1)}" spellcheck="false">${text.replaceAll('+447400123456', '{phoneNumber}')}</textarea></label>`}
      <button class="primary" type="submit">Send</button>
    </form>
    <div class="answer" role="status" aria-live="polite"></div>
  </section>`;
}

const marks = { 2: 'good', 4: 'warn', 5: 'bad' };

function answer([status, given], resolve) {
  const response = resolve(given);
  const [type, content] = Object.entries(response.content ?? {})[0] ?? [];
  const example = content?.example ?? resolve(Object.values(content?.examples ?? {})[0])?.value;
  const headers = Object.entries(response.headers ?? {}).filter(([name]) => name !== 'Error-Reason');
  return html`<details class="answer-kind" ${status < '300' ? html` open` : ''}>
    <summary>
      <span class="mark ${marks[status[0]] ?? ''}">${status}</span> ${type && html`<span class="type">${type}</span>`}
    </summary>
    ${renderMarkdown(response.description)}
    ${
      headers.length > 0 &&
      html`<h3>Headers</h3>
        <ul class="members">
          ${headers.map(
            ([name, { description }]) =>
              html`<li>
                <p class="member"><code class="name">${name}</code></p>
                ${renderMarkdown(description)}
              </li>`,
          )}
        </ul>`
    }
    ${content?.schema && status < '300' && members(content.schema, resolve)}
    ${example !== undefined && codeBlock(typeof example === 'string' ? example : json(example))}
  </details>`;
}

export function operationPage({ document, method, path, operation }) {
  const resolve = createResolver(document);
  const request = requestOf({ method, path, operation, resolve });
  const contents = Object.entries(operation.requestBody?.content ?? {});
  const parameters = operation.parameters ?? [];
  return html`<article class="operation">
    <h1>${operation.summary}</h1>
    <p class="address"><span class="method method-${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
    <div class="columns">
      <div class="about">
        ${operation.description && renderMarkdown(operation.description)}
        <p class="scopes">
          ${operation['x-scopes'] ? html`Scope: ${operation['x-scopes'].map((scope, index) => html`${index > 0 && ' or '}<code>${scope}</code>`)}` : 'No token is needed.'}
        </p>
        ${
          parameters.length > 0 &&
          html`<h2>Parameters</h2>
            ${parameterList(parameters, resolve)}`
        }
        ${contents.map(
          ([type, { schema, example }]) =>
            html`<h2>Body <span class="type">${type}</span></h2>
              ${typeof example === 'string' ? codeBlock(example) : members(schema, resolve)}`,
        )}
        <h2>Answers</h2>
        ${Object.entries(operation.responses).map((each) => answer(each, resolve))}
      </div>
      <div class="side">${samples(request)}${canBeTried(operation) && tryForm(request)}</div>
    </div>
  </article>`;
}
