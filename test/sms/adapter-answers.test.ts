/** What the documented answers of each HTTP gateway mean. */
import { describe, expect, it } from 'vitest';
import { adapters, ask, message } from '../harness/adapters.ts';
import type { Answer } from '../harness/servers/gateway-server.ts';

const reason = expect.any(String);
const meanings = {
  refused: { outcome: 'refused', reason },
  unavailable: { outcome: 'unavailable', reason },
  /** Another gateway is asked, and the breaker does not count it. */
  unable: { outcome: 'unavailable', reason, isHealthy: true },
  throttled: { outcome: 'unavailable', reason, isHealthy: true, retryAfterSeconds: 1 },
  unknown: { outcome: 'unknown', reason },
};

const twilio = (code: number, status = 400): Answer => ({ status, body: { code, message: 'x', status } });
const vonage = (...statuses: string[]): Answer => ({
  status: 200,
  body: { messages: statuses.map((status) => ({ status, 'error-text': 'Invalid value for param' })) },
});
const infobip = (groupId: number, name: string): Answer => ({
  status: 200,
  body: { messages: [{ messageId: 'I', status: { groupId, name } }] },
});
const messagebird = (status: number, code: number, parameter?: string): Answer => ({
  status,
  body: { errors: [{ code, description: 'x', parameter }] },
});
const nobody = (statusReason: string): Answer => ({
  status: 201,
  body: { id: 'x', recipients: { totalSentCount: 0, items: [{ status: 'delivery_failed', statusReason }] } },
});
const aws = (status: number, type: string, more: object = {}): Answer => ({ status, body: { __type: type, ...more } });

const whatsapp = (code: number, status = 400): Answer => ({ status, body: { error: { code, message: 'x' } } });
const vonageVoice = (status: number, name: string): Answer => ({
  status,
  body: { title: 'Bad Request', invalid_parameters: [{ name, reason: 'x' }] },
});

const cases: [gateway: string, what: string, answer: Answer, meaning: keyof typeof meanings][] = [
  ['twilio', 'not a number', twilio(21211), 'refused'],
  ['twilio', 'a region that the account may not send to', twilio(21408), 'refused'],
  ['twilio', 'opted out', twilio(21610), 'refused'],
  ['twilio', 'not a mobile number', twilio(21614), 'refused'],
  ['twilio', 'a landline', twilio(21635), 'refused'],
  ['twilio', 'not verified for a trial account', twilio(21608), 'refused'],
  ['twilio', 'blocked as fraud', twilio(30450), 'refused'],
  ['twilio', 'a sender that may not send there', twilio(21606), 'unable'],
  ['twilio', 'a sender that cannot reach this number', twilio(21612), 'unable'],
  ['twilio', 'a short code of another country', twilio(21659), 'unable'],
  ['twilio', 'throttled', twilio(20429, 429), 'throttled'],
  ['twilio', 'a full queue', twilio(21611), 'throttled'],
  ['twilio', 'wrong credentials', twilio(20003, 401), 'unavailable'],
  ['twilio', 'an internal error', twilio(20500, 500), 'unavailable'],
  ['twilio', 'an error of its proxy', twilio(20502, 502), 'unknown'],
  ['twilio', 'a 201 with a refusal inside', { status: 201, body: { sid: 'S', error_code: 30006 } }, 'refused'],
  ['twilio', 'a 201 with an error inside', { status: 201, body: { sid: 'S', error_code: 30008 } }, 'unavailable'],
  ['twilio', 'a 201 that failed', { status: 201, body: { sid: 'S', status: 'failed' } }, 'unavailable'],
  ['twilio', 'a 201 without an id', { status: 201, body: { status: 'queued' } }, 'unknown'],

  ['twilio-voice', 'not a number', twilio(21211), 'refused'],
  ['twilio-voice', 'a country that the account may not call', twilio(21215), 'refused'],
  ['twilio-voice', 'a blocked number', twilio(13225), 'refused'],
  ['twilio-voice', 'not verified for a trial account', twilio(21219), 'refused'],
  ['twilio-voice', 'a caller id that is not ours', twilio(21210), 'unable'],
  ['twilio-voice', 'throttled', twilio(20429, 429), 'throttled'],
  ['twilio-voice', 'too many calls at once', twilio(10004), 'throttled'],
  ['twilio-voice', 'wrong credentials', twilio(20003, 401), 'unavailable'],
  ['twilio-voice', 'an internal error', twilio(20500, 500), 'unavailable'],
  ['twilio-voice', 'an error of its proxy', twilio(20502, 502), 'unknown'],
  ['twilio-voice', 'a 201 that failed', { status: 201, body: { sid: 'C', status: 'failed' } }, 'unavailable'],
  ['twilio-voice', 'a 201 without an id', { status: 201, body: { status: 'queued' } }, 'unknown'],

  ['vonage-voice', 'not a number', vonageVoice(400, 'to[0].number'), 'refused'],
  ['vonage-voice', 'a wrong caller id', vonageVoice(400, 'from.number'), 'unavailable'],
  ['vonage-voice', 'wrong credentials', { status: 401, body: { title: 'Unauthorized' } }, 'unavailable'],
  ['vonage-voice', 'throttled', { status: 429, body: { title: 'Throughput' } }, 'throttled'],
  ['vonage-voice', 'a call that was rejected', { status: 201, body: { uuid: 'U', status: 'rejected' } }, 'unable'],
  ['vonage-voice', 'a 201 without an id', { status: 201, body: { status: 'started' } }, 'unknown'],

  ['whatsapp', 'not on WhatsApp', whatsapp(131026), 'unable'],
  ['whatsapp', 'not on the list of a test number', whatsapp(131030), 'unable'],
  ['whatsapp', 'a country that the account may not write to', whatsapp(130497, 403), 'unable'],
  ['whatsapp', 'asked too often for one recipient', whatsapp(131056), 'unable'],
  ['whatsapp', 'not a number', whatsapp(131009), 'unable'],
  ['whatsapp', 'no such template', whatsapp(132001, 404), 'unable'],
  ['whatsapp', 'a template with other parameters', whatsapp(132000), 'unable'],
  ['whatsapp', 'a paused template', whatsapp(132015), 'unable'],
  ['whatsapp', 'throttled', whatsapp(130429), 'throttled'],
  ['whatsapp', 'too many calls of the app', whatsapp(4, 429), 'throttled'],
  ['whatsapp', 'an expired token', whatsapp(190, 401), 'unavailable'],
  ['whatsapp', 'no payment', whatsapp(131042), 'unavailable'],
  ['whatsapp', 'a blocked account', whatsapp(131031, 403), 'unavailable'],
  ['whatsapp', 'an internal error', whatsapp(131000, 500), 'unavailable'],
  ['whatsapp', 'a 200 without an id', { status: 200, body: { messages: [] } }, 'unknown'],

  ['vonage', 'throttled', vonage('1'), 'throttled'],
  ['vonage', 'too many connections', vonage('10'), 'throttled'],
  ['vonage', 'wrong credentials', vonage('4'), 'unavailable'],
  ['vonage', 'an internal error', vonage('5'), 'unavailable'],
  ['vonage', 'an unknown prefix', vonage('6'), 'refused'],
  ['vonage', 'a barred number', vonage('7'), 'refused'],
  ['vonage', 'no credit', vonage('9'), 'unavailable'],
  ['vonage', 'a wrong sender', vonage('15'), 'unable'],
  ['vonage', 'not on the list of a demo account', vonage('29'), 'refused'],
  ['vonage', 'a deactivated number', vonage('33'), 'refused'],
  ['vonage', 'a wrong parameter', vonage('3'), 'unavailable'],
  [
    'vonage',
    'an invalid number',
    { status: 200, body: { messages: [{ status: '3', 'error-text': 'Invalid value for param: to' }] } },
    'refused',
  ],
  ['vonage', 'one part of two', vonage('0', '1'), 'unknown'],
  ['vonage', 'no message inside', vonage(), 'unknown'],

  ['infobip', 'not a number', infobip(5, 'REJECTED_DESTINATION'), 'refused'],
  ['infobip', 'an unknown prefix', infobip(5, 'REJECTED_PREFIX_MISSING'), 'refused'],
  ['infobip', 'a network that the account does not reach', infobip(5, 'REJECTED_NETWORK'), 'refused'],
  ['infobip', 'a number that gets no service messages', infobip(5, 'REJECTED_DND'), 'refused'],
  ['infobip', 'blocked as fraud', infobip(5, 'SIGNALS_BLOCKED'), 'refused'],
  ['infobip', 'blocked as fraud, and charged', infobip(4, 'SIGNALS_BLOCKED'), 'refused'],
  ['infobip', 'a number that the operator rejects', infobip(2, 'UNDELIVERABLE_REJECTED_OPERATOR'), 'refused'],
  ['infobip', 'no credit', infobip(5, 'REJECTED_NOT_ENOUGH_CREDITS'), 'unavailable'],
  ['infobip', 'no route', infobip(5, 'REJECTED_ROUTE_NOT_AVAILABLE'), 'unavailable'],
  ['infobip', 'a system error', infobip(5, 'REJECTED_SYSTEM_ERROR'), 'unavailable'],
  ['infobip', 'a sender that is not registered', infobip(5, 'REJECTED_SOURCE'), 'unable'],
  ['infobip', 'expired already', infobip(4, 'EXPIRED_DLR_UNKNOWN'), 'unknown'],
  ['infobip', 'a bad request', { status: 400, body: { errorCode: 'E400', violations: [] } }, 'unavailable'],
  [
    'infobip',
    'a bad request about the number',
    { status: 400, body: { violations: [{ property: 'messages[0].destinations[0].to' }] } },
    'refused',
  ],

  ['messagebird', 'a wrong number', messagebird(422, 9, 'recipient'), 'refused'],
  ['messagebird', 'wrong numbers', messagebird(422, 10, 'recipients'), 'refused'],
  ['messagebird', 'a wrong sender', messagebird(422, 9, 'originator'), 'unable'],
  ['messagebird', 'a wrong text', messagebird(422, 9, 'body'), 'unavailable'],
  ['messagebird', 'a wrong key', messagebird(401, 2, 'access_key'), 'unavailable'],
  ['messagebird', 'no credit', messagebird(422, 25), 'unavailable'],
  ['messagebird', 'throttled', messagebird(429, 21), 'throttled'],
  ['messagebird', 'a number without a subscriber', nobody('unknown subscriber'), 'refused'],
  ['messagebird', 'no credit, with a 201', nobody('insufficient balance'), 'unavailable'],
  ['messagebird', 'nobody', { status: 201, body: { id: 'x', recipients: { totalSentCount: 0 } } }, 'unavailable'],

  ['aws', 'opted out', aws(409, 'x#ConflictException', { Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT' }), 'refused'],
  [
    'aws',
    'a country that is blocked',
    aws(409, 'ConflictException', { Reason: 'DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION' }),
    'refused',
  ],
  ['aws', 'a country', aws(400, 'ValidationException', { Reason: 'DESTINATION_COUNTRY_BLOCKED' }), 'refused'],
  [
    'aws',
    'not a number',
    aws(400, 'ValidationException', { Reason: 'INVALID_PARAMETER', Fields: [{ Name: 'DestinationPhoneNumber' }] }),
    'refused',
  ],
  [
    'aws',
    'a sender that may not send there',
    aws(400, 'ValidationException', { Reason: 'INVALID_IDENTITY_FOR_DESTINATION_COUNTRY' }),
    'unable',
  ],
  ['aws', 'another parameter', aws(400, 'ValidationException', { Fields: [{ Name: 'MessageBody' }] }), 'unavailable'],
  ['aws', 'throttled', aws(400, 'ThrottlingException'), 'throttled'],
  ['aws', 'a spend limit', aws(402, 'ServiceQuotaExceededException'), 'unavailable'],
  ['aws', 'not allowed', aws(400, 'AccessDeniedException'), 'unavailable'],
  ['aws', 'an internal error', aws(500, 'InternalServerException'), 'unavailable'],
  ['aws', 'a 200 without an id', { status: 200, body: {} }, 'unknown'],

  ['webhook', 'a destination that it refuses', { status: 422, body: { reason: 'landline' } }, 'refused'],
  ['webhook', 'a URL that is gone', { status: 410 }, 'unavailable'],
  ['webhook', 'throttled', { status: 429 }, 'throttled'],
];

describe('an answer', () => {
  it.each(cases)('of %s: %s', async (name, _what, answer, meaning) => {
    expect((await ask(name, () => answer)).answer).toEqual(meanings[meaning]);
  });

  it.each([
    ['twilio', twilio(20429, 429)],
    ['aws', aws(400, 'ThrottlingException')],
    ['messagebird', messagebird(429, 21)],
  ])('of %s that limits the rate says for how long', async (name, answer) => {
    const headers = { 'retry-after': '17' };
    expect((await ask(name, () => ({ ...answer, headers }))).answer).toMatchObject({ retryAfterSeconds: 17 });
  });

  it('of Infobip about one number that gets too many does not pause the gateway', async () => {
    const { answer } = await ask('infobip', () => infobip(5, 'REJECTED_FLOODING_FILTER'));
    expect(answer).toEqual({ outcome: 'unavailable', reason, isHealthy: true, retryAfterSeconds: 0 });
  });

  it('may give its Retry-After as a date', async () => {
    const headers = { 'retry-after': new Date(Date.now() + 30_000).toUTCString() };
    const { answer } = await ask('webhook', () => ({ status: 429, headers }));
    const { retryAfterSeconds } = answer as { retryAfterSeconds: number };
    expect(retryAfterSeconds).toBeGreaterThan(0);
    expect(retryAfterSeconds).toBeLessThanOrEqual(30);
  });

  it.each(Object.keys(adapters))(
    'of %s that is JSON but nothing it documents is read without a defect',
    async (name) => {
      for (const body of ['null', '[]', '7', '"x"', '{"messages":[null]}', '{"errors":[null]}', '{"messages":{}}']) {
        for (const status of [200, 400]) {
          const { answer } = await ask(name, () => ({ status, body }));
          const expected = status === 400 ? 'unavailable' : name === 'webhook' ? 'accepted' : 'unknown';
          expect([body, status, answer.outcome]).toEqual([body, status, expected]);
        }
      }
    },
  );

  it.each([message.e164, '447911123456', '+44 7911 123 456', '07911-123-456', '+44 (0) 7911/123456'])(
    'never carries a phone number such as %s into its reason',
    async (phoneNumber) => {
      const body = { reason: `no route to ${phoneNumber}, error 131-026` };
      const { answer } = await ask('webhook', () => ({ status: 422, body }));
      expect(answer).toEqual({ outcome: 'refused', reason: 'no route to …, error 131-026' });
    },
  );
});
