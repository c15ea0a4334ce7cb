/** AWS Signature Version 4, for a POST without a query. */
import { createHmac, hash } from 'node:crypto';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

export interface Signable {
  service: string;
  region: string;
  path: string;
  /** With names in lower case, and with `host`. */
  headers: Record<string, string>;
  body: string;
}

/** The headers of the request, with those that sign it. */
export function signV4(request: Signable, credentials: AwsCredentials, now: Date): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const date = time.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-date': time,
    ...(credentials.sessionToken && { 'x-amz-security-token': credentials.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    'POST',
    request.path,
    '',
    ...names.map((name) => `${name}:${headers[name]!.trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    hash('sha256', request.body),
  ].join('\n');
  const scope = `${date}/${request.region}/${request.service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n');
  const key = [date, request.region, request.service, 'aws4_request'].reduce<Buffer | string>(
    hmac,
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = hmac(key, toSign).toString('hex');
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
