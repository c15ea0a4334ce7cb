/** A request as code, in several languages. */
import type { ExchangeRequest } from './exchanges.ts';

export const languages = ['curl', 'JavaScript', 'Python', 'C#'] as const;
export type Language = (typeof languages)[number];

export function sampleOf(language: Language, request: ExchangeRequest): string {
  return { curl: curlOf, JavaScript: javaScriptOf, Python: pythonOf, 'C#': csharpOf }[language](request);
}

function curlOf(request: ExchangeRequest): string {
  const { method, url, hasToken, json } = request;
  if (request.form) return tokenCurl(url, request.form);
  const option = method === 'GET' || (method === 'POST' && json) ? '' : `-X ${method} `;
  const parts = [`curl -i ${option}${url.href}`];
  if (hasToken) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (json) parts.push("-H 'Content-Type: application/json'", `-d '${json.replaceAll("'", `'\\''`)}'`);
  return parts.join(' \\\n  ');
}

/** Stores the token in the variable that the other requests use. */
function tokenCurl(url: URL, form: [string, string][]): string {
  const fields = form.map(([name, value]) => `-d ${name}=${value}`).join(' \\\n  ');
  return `TOKEN=$(curl -s ${url.href} \\\n  ${fields} \\\n  | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`;
}

/** Uses the client of the npm package. */
function javaScriptOf({ method, url, json, form }: ExchangeRequest): string {
  if (form) {
    const { client_id: clientId, client_secret: clientSecret } = Object.fromEntries(form);
    return `import { clientCredentials, createClient } from '@ledgerline/client';

const baseUrl = '${url.origin}';
const token = clientCredentials({ baseUrl, clientId: '${clientId}', clientSecret: '${clientSecret}' });
const client = createClient({ baseUrl, token });`;
  }
  const body = JSON.parse(json ?? '{}') as { code?: string };
  const value = json ? literal(body, 'js') : '';
  const options = value && `, ${value}`;
  const [, userId, confirmationId] = /^\/User\/(\d+)\/(?:confirmations\/([^/]+))?/.exec(url.pathname) ?? [];
  const confirmation = `/User/${userId}/confirmations/${confirmationId}`;
  const calls: Record<string, string> = {
    'POST /User':
      value === '' || value === '{}'
        ? 'const { id } = await client.createUser();'
        : `const { id } = await client.createUser(${value});`,
    'POST /User/phone-number/send-code': `const { codeLength, expiresInSeconds } = await client.sendCode(${value});`,
    'POST /User/phone-number/verify': `await client.verify(${value});`,
    [`POST /User/${userId}/phone-number/resend-code`]: `await client.resendCode(${userId}${options});`,
    [`POST /User/${userId}/phone-number/change`]: `const { codeLength } = await client.changePhone(${userId}, ${value});`,
    [`POST /User/${userId}/phone-number/change/resend-code`]: `await client.resendChange(${userId}${options});`,
    [`POST /User/${userId}/phone-number/change/verify`]: `await client.verifyChange(${userId}, '${body.code}');`,
    [`POST /User/${userId}/confirmations`]: `const { confirmationId } = await client.confirmations.create(${userId}, ${value});`,
    [`POST ${confirmation}/check`]: `await client.confirmations.check(${userId}, '${confirmationId}', ${value});`,
    [`POST ${confirmation}/resend-code`]: `await client.confirmations.resend(${userId}, '${confirmationId}'${options});`,
    [`GET ${confirmation}`]: `const { state } = await client.confirmations.read(${userId}, '${confirmationId}');`,
    [`GET /User/${userId}/status`]: `const { isPhoneNumberVerified, phoneNumber } = await client.userStatus(${userId});`,
  };
  return calls[`${method} ${url.pathname}`] ?? `await fetch('${url.href}', { method: '${method}' });`;
}

function pythonOf({ method, url, hasToken, json, form }: ExchangeRequest): string {
  if (form) {
    return `import requests

answer = requests.post(
    "${url.href}",
    data=${literal(Object.fromEntries(form), 'python', 4)},
)
token = answer.json()["access_token"]`;
  }
  const lines = [`    "${url.href}",`];
  if (hasToken) lines.push('    headers={"Authorization": f"Bearer {token}"},');
  if (json) lines.push(`    json=${literal(JSON.parse(json), 'python', 4)},`);
  return `answer = requests.${method.toLowerCase()}(\n${lines.join('\n')}\n)\nanswer.raise_for_status()`;
}

function csharpOf({ method, url, hasToken, json, form }: ExchangeRequest): string {
  if (form) {
    const fields = form.map(([name, value]) => `    ["${name}"] = "${value}",`).join('\n');
    return `using var http = new HttpClient { BaseAddress = new Uri("${url.origin}") };
var answer = await http.PostAsync("/connect/token", new FormUrlEncodedContent(new Dictionary<string, string>
{
${fields}
}));
var token = (await answer.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("access_token").GetString();
http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);`;
  }
  const path = `"${url.pathname}${url.search}"`;
  const calls: Record<string, string> = {
    GET: `var answer = await http.GetAsync(${path});`,
    DELETE: `var answer = await http.DeleteAsync(${path});`,
    POST: json
      ? `var answer = await http.PostAsJsonAsync(${path}, ${literal(JSON.parse(json), 'c#')});`
      : `var answer = await http.PostAsync(${path}, null);`,
  };
  return `${calls[method]}${hasToken ? '\nanswer.EnsureSuccessStatusCode();' : ''}`;
}

/** A flat object in the syntax of the language. */
function literal(value: unknown, language: 'js' | 'python' | 'c#', indent = 0): string {
  const members = Object.entries(value as Record<string, unknown>);
  if (members.length === 0) return language === 'c#' ? 'new { }' : '{}';
  const text = (part: unknown) =>
    typeof part !== 'string' ? String(part) : language === 'js' ? `'${part}'` : JSON.stringify(part);
  if (language === 'js') return `{ ${members.map(([name, part]) => `${name}: ${text(part)}`).join(', ')} }`;
  if (language === 'c#') return `new { ${members.map(([name, part]) => `${name} = ${text(part)}`).join(', ')} }`;
  const space = ' '.repeat(indent);
  return `{\n${members.map(([name, part]) => `${space}    "${name}": ${text(part)},`).join('\n')}\n${space}}`;
}

export interface Token {
  kind: 'text' | 'string' | 'keyword' | 'number' | 'comment';
  text: string;
}

const patterns: Record<Language, RegExp> = {
  curl: /(?<string>'[^']*'|"[^"]*")|(?<keyword>\bcurl\b|(?<= )-{1,2}[A-Za-z]+|\$\w+)/g,
  JavaScript: /(?<string>'[^']*')|(?<keyword>\b(?:import|from|const|await)\b)|(?<number>\b\d+\b)/g,
  Python: /(?<string>f?"[^"]*")|(?<keyword>\bimport\b)|(?<number>\b\d+\b)/g,
  'C#': /(?<string>"[^"]*")|(?<keyword>\b(?:using|var|new|await|string|null)\b)|(?<number>\b\d+\b)/g,
};

/** The headers of an answer, a line each, and its JSON. */
const answerPattern =
  /(?<keyword>^[\w-]+(?=:)|"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>\b(?:-?\d[\d.eE+-]*|true|false|null)\b)/gm;

/** The sample in pieces, each with its kind, for colours. */
export function highlight(language: Language | 'answer', sample: string): Token[] {
  const pattern = language === 'answer' ? answerPattern : patterns[language];
  const tokens: Token[] = [];
  let end = 0;
  for (const match of sample.matchAll(pattern)) {
    if (match.index > end) tokens.push({ kind: 'text', text: sample.slice(end, match.index) });
    const kind = Object.entries(match.groups!).find(([, text]) => text !== undefined)![0] as Token['kind'];
    tokens.push({ kind, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < sample.length) tokens.push({ kind: 'text', text: sample.slice(end) });
  return tokens;
}
