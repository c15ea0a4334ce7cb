/** Vonage Voice API: POST /v1/calls, with a token that the application's private key signs. The call speaks twice. */
import { createHash, createPrivateKey, randomUUID, sign, type KeyObject } from 'node:crypto';
import { fail, requiredSetting, word, type Kind } from '../../formats/setting-kinds.ts';
import { sameText } from '../../crypto/constant-time.ts';
import { defineGateway } from '../define-gateway.ts';
import { accepted, refused, unable, type Callback, type GatewayAnswer, type Receipt } from '../gateway.ts';
import { headerOf, httpCaller, outcomeOfStatus, readJsonReceipts, type HttpAnswer } from '../http.ts';
import { readSignedToken } from '../signed-token.ts';
import { speak } from '../spoken-text.ts';
import { vonageSignatureSettings } from '../vonage-account.ts';

const tokenSeconds = 300;
const signatureToleranceSeconds = 300;

/** A phone that rings longer than this is not answered any more. */
const ringSeconds = 40;

const privateKey: Kind<KeyObject> = {
  form: 'private key in PEM; \\n stands for a line break',
  parse(value) {
    try {
      const key = createPrivateKey(value.replaceAll('\\n', '\n'));
      if (key.asymmetricKeyType === 'rsa') return key;
    } catch {
      // The reason would quote the key.
    }
    return fail('must be the RSA private key of the application, in PEM');
  },
};

export const vonageVoice = defineGateway({
  name: 'vonage-voice',
  channel: 'voice',
  receiptMethods: ['POST'],
  baseUrl: 'https://api.nexmo.com',
  settings: {
    vonageApplication: requiredSetting({
      env: 'LEDGERLINE_VONAGE_APPLICATION',
      kind: word,
      about: 'Vonage, calls: the id of the application.',
    }),
    vonagePrivateKey: requiredSetting({
      env: 'LEDGERLINE_VONAGE_PRIVATE_KEY',
      kind: privateKey,
      secret: true,
      about: 'Vonage, calls: the private key of the application.',
    }),
    ...vonageSignatureSettings,
  },
  create({ vonageApplication, vonagePrivateKey, vonageSignature }, { baseUrl, sender, callbackUrl, now }) {
    const http = httpCaller(baseUrl);
    const authorization = () => `Bearer ${makeToken(vonageApplication, vonagePrivateKey, now())}`;
    return {
      name: 'vonage-voice',
      send(message, withinMilliseconds) {
        const body = JSON.stringify({
          to: [{ type: 'phone', number: message.e164.slice(1) }],
          from: { type: 'phone', number: sender(message.country).replace(/^\+/, '') },
          ncco: [{ action: 'talk', ...speak(message), loop: 2 }],
          ringing_timer: ringSeconds,
          // So that no code stays on a voicemail.
          machine_detection: 'hangup',
          ...(callbackUrl && { event_url: [callbackUrl(message.reference)], event_method: 'POST' }),
        });
        const headers = { authorization: authorization(), 'content-type': 'application/json' };
        return http.send({ path: '/v1/calls', headers, body }, withinMilliseconds, readAnswer);
      },
      readReceipts(callback) {
        // Without a secret receipts are unsigned, and only their secret URL makes them authentic.
        if (vonageSignature !== undefined && !isSigned(vonageSignature.secret, callback, now())) return undefined;
        return readJsonReceipts(callback.body, readEvent);
      },
      check: (withinMilliseconds) =>
        http.check('/v1/calls?page_size=1', { authorization: authorization() }, withinMilliseconds),
      close: http.close,
    };
  },
});

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function makeToken(application: string, key: KeyObject, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000);
  const claims = { application_id: application, iat, exp: iat + tokenSeconds, jti: randomUUID() };
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

function readAnswer(answer: HttpAnswer): GatewayAnswer {
  const { status, json } = answer;
  if (status === 201 && typeof json?.uuid === 'string') {
    return ['failed', 'rejected'].includes(json.status) ? unable(json.status) : accepted(json.uuid);
  }
  const parameters: unknown = json?.invalid_parameters;
  const isAboutDestination =
    status === 400 && Array.isArray(parameters) && parameters.some((each) => /^to\b/.test(String(each?.name)));
  return isAboutDestination ? refused('invalid number') : outcomeOfStatus(answer);
}

/** Authorization: a token that is signed with the secret of the account, and has the digest of the body. */
function isSigned(secret: string, { headers, body }: Callback, now: Date): boolean {
  const [, token = ''] = /^Bearer (.+)$/i.exec(headerOf(headers, 'authorization')) ?? [];
  const { iat, payload_hash: digest } = readSignedToken(token, secret)?.claims ?? {};
  const ageSeconds = Math.abs(now.getTime() / 1000 - Number(iat));
  const bodyDigest = createHash('sha256').update(body).digest('hex');
  return ageSeconds <= signatureToleranceSeconds && sameText(String(digest).toLowerCase(), bodyDigest);
}

const failures = new Set(['busy', 'cancelled', 'failed', 'machine', 'rejected', 'timeout', 'unanswered']);

/** Who answered decides: a call that a machine took is completed too. */
function readEvent(event: unknown): Receipt[] {
  const { uuid, status } = Object(event);
  const id = String(uuid ?? '');
  if (status === 'human') return [{ id, state: 'delivered' }];
  return failures.has(status) ? [{ id, state: 'failed', reason: String(status) }] : [];
}
