/** One request in four languages. `{origin}` and `{phoneNumber}` are filled in by the page. */

const exampleValues = { id: '1', individualId: '1', confirmationId: '0b7e3c1a-9d42-4f7e-8a55-6c2f1d9e4b30' };

/** The address of the example: path parameters with a value, and the query parameters that are required. */
export function exampleAddress(path, parameters) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => exampleValues[name] ?? '1');
  const query = parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(schema.examples?.[0] ?? exampleValues[name] ?? '')}`);
  return filled + (query.length > 0 ? `?${query.join('&')}` : '');
}

const indent = (text, spaces) => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

function curl({ method, address, needsToken, body, isForm }) {
  const lines = [`curl ${method === 'GET' || body !== undefined ? '' : `-X ${method} `}"{origin}${address}"`];
  if (needsToken) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (isForm) lines.push(...Object.entries(body).map(([name, value]) => `-d ${name}=${value}`));
  else if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`);
  }
  return lines.join(' \\\n  ');
}

function headersOf({ needsToken, body, isForm }, token) {
  const headers = {};
  if (needsToken) headers.Authorization = token;
  if (body !== undefined && !isForm) headers['Content-Type'] = 'application/json';
  return headers;
}

function javascript(request) {
  const { method, address, body, isForm } = request;
  const headers = Object.entries(headersOf(request, '`Bearer ${token}`')).map(
    ([name, value]) => `${name.includes('-') ? `'${name}'` : name}: ${value.startsWith('`') ? value : `'${value}'`}`,
  );
  const options = [
    method !== 'GET' && `method: '${method}'`,
    headers.length > 0 && `headers: { ${headers.join(', ')} }`,
  ];
  if (body !== undefined) {
    const value = indent(JSON.stringify(body, null, 2), 2);
    options.push(`body: ${isForm ? 'new URLSearchParams' : 'JSON.stringify'}(${value})`);
  }
  const given = options.filter(Boolean).map((option) => `\n  ${option},`);
  return `const response = await fetch('{origin}${address}'${given.length > 0 ? `, {${given.join('')}\n}` : ''});\nconsole.log(response.status, await response.text());`;
}

const pythonWords = { true: 'True', false: 'False', null: 'None' };
const pythonValue = (value) =>
  JSON.stringify(value, null, 4).replaceAll(/: (true|false|null)\b/g, (_, word) => `: ${pythonWords[word]}`);

function python(request) {
  const { method, address, body, isForm } = request;
  const parts = [`"{origin}${address}"`];
  if (request.needsToken) parts.push('headers={"Authorization": f"Bearer {token}"}');
  if (body !== undefined) parts.push(`${isForm ? 'data' : 'json'}=${indent(pythonValue(body), 4)}`);
  return `import requests\n\nresponse = requests.${method.toLowerCase()}(\n    ${parts.join(',\n    ')},\n)\nprint(response.status_code, response.text)`;
}

const methodNames = { GET: 'Get', POST: 'Post', DELETE: 'Delete' };

function csharp(request) {
  const { method, address, body, isForm, needsToken } = request;
  const lines = ['using var client = new HttpClient();'];
  if (needsToken) lines.push('client.DefaultRequestHeaders.Authorization = new("Bearer", token);');
  lines.push(`using var request = new HttpRequestMessage(HttpMethod.${methodNames[method]}, "{origin}${address}");`);
  if (isForm) {
    const pairs = Object.entries(body).map(([name, value]) => `["${name}"] = "${value}"`);
    lines.push(`request.Content = new FormUrlEncodedContent(new Dictionary<string, string> { ${pairs.join(', ')} });`);
  } else if (body !== undefined) {
    lines.push(
      `request.Content = new StringContent("""\n    ${indent(JSON.stringify(body, null, 2), 4)}\n    """, Encoding.UTF8, "application/json");`,
    );
  }
  lines.push(
    'using var response = await client.SendAsync(request);',
    'Console.WriteLine($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");',
  );
  return lines.join('\n');
}

/** A number of the example becomes a fresh one in each sample, so that trying it twice is no error. */
const withFreshNumber = (text) => text.replaceAll('+447400123456', '{phoneNumber}');

export function samplesOf(request) {
  return Object.entries({ curl, JavaScript: javascript, Python: python, 'C#': csharp }).map(([language, write]) => ({
    language,
    text: withFreshNumber(write(request)),
  }));
}
