/** AWS End User Messaging: SendTextMessage of the API PinpointSMSVoiceV2. */
import { fail, requiredSetting, setting, word, type Kind } from '../../formats/setting-kinds.ts';
import { defineGateway, type GatewayContext, type GatewayValues } from '../define-gateway.ts';
import { india } from '../dlt.ts';
import {
  accepted,
  refused,
  throttled,
  unable,
  unavailable,
  type Gateway,
  type GatewayAnswer,
  type Receipt,
} from '../gateway.ts';
import { formType, httpCaller, outcomeOfStatus, readJsonReceipts, retryAfterOf, type HttpAnswer } from '../http.ts';
import { signV4, type AwsCredentials } from '../sigv4.ts';

/** The `Reason` of a ValidationException or ConflictException that is about the destination; so is any DESTINATION_…. */
const refusals = new Set(['COUNTRY_CODE_MISMATCH', 'INTERNATIONAL_SENDING_NOT_SUPPORTED']);
/** Reasons about the sender in the destination's country, or about the price there. */
const wrongSender = new Set([
  'INVALID_IDENTITY_FOR_DESTINATION_COUNTRY',
  'NO_ORIGINATION_IDENTITIES_FOUND',
  'PRICE_OVER_THRESHOLD',
  'SENDER_ID_NOT_REGISTERED',
  'SENDER_ID_NOT_SUPPORTED',
  'SENDER_ID_REQUIRES_REGISTRATION',
]);

const shortestTtlSeconds = 5;
const longestTtlSeconds = 259_200;

const confirmMilliseconds = 5000;
const longestToken = 1000;

/** None of the three can contain a colon. */
const credentials: Kind<AwsCredentials> = {
  form: 'key-id:secret, or key-id:secret:session-token',
  parse(value) {
    const [, accessKeyId, secretAccessKey, sessionToken] =
      /^([!-9;-~]+):([!-9;-~]+)(?::([!-9;-~]+))?$/.exec(value) ??
      fail('must be key-id:secret, or key-id:secret:session-token');
    return { accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey!, sessionToken };
  },
};

const settings = {
  awsRegion: requiredSetting({
    env: 'LEDGERLINE_AWS_REGION',
    kind: word,
    about: 'AWS End User Messaging: the region.',
  }),
  awsCredentials: requiredSetting({
    env: 'LEDGERLINE_AWS_CREDENTIALS',
    kind: credentials,
    secret: true,
    about:
      'AWS: the access key’s id and its secret; with temporary keys the session token too. The key needs sms-voice:SendTextMessage and nothing else.',
  }),
  awsConfigurationSet: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_CONFIGURATION_SET',
    kind: word,
    default: undefined,
    about: 'AWS: configuration set whose event destination reports deliveries.',
  }),
  awsTopic: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_TOPIC',
    kind: word,
    default: undefined,
    about:
      'AWS: ARN of the SNS topic that the event destination reports to; its subscription is confirmed automatically.',
  }),
};

export const aws = defineGateway({
  name: 'aws',
  receiptMethods: ['POST'],
  needsDltIds: true,
  baseUrl: 'https://sms-voice.REGION.amazonaws.com',
  settings,
  create: (values, context) => createAws(values, context),
});

export function createAws(
  values: GatewayValues<typeof settings>,
  context: Pick<GatewayContext, 'baseUrl' | 'sender' | 'now' | 'onLink'>,
  snsUrl = `https://sns.${values.awsRegion}.amazonaws.com`,
): Gateway {
  const { sender, now } = context;
  const baseUrl = context.baseUrl.replace('REGION', values.awsRegion);
  const http = httpCaller(baseUrl);
  const { host } = new URL(baseUrl);
  const sns = values.awsTopic ? httpCaller(snsUrl) : undefined;

  /** The headers that sign a SendTextMessage. `host` is signed too, and node:http adds it. */
  function signedHeaders(body: string): Record<string, string> {
    const signable = {
      service: 'sms-voice',
      region: values.awsRegion,
      path: '/',
      headers: {
        host,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
      },
      body,
    };
    const { host: _, ...headers } = signV4(signable, values.awsCredentials, now());
    return headers;
  }

  return {
    name: 'aws',
    send({ e164, text, country, reference, validSeconds, dlt }, withinMilliseconds) {
      const body = JSON.stringify({
        DestinationPhoneNumber: e164,
        OriginationIdentity: sender(country),
        MessageBody: text,
        MessageType: 'TRANSACTIONAL',
        TimeToLive: Math.min(longestTtlSeconds, Math.max(shortestTtlSeconds, validSeconds)),
        ...(values.awsConfigurationSet && { ConfigurationSetName: values.awsConfigurationSet }),
        // A member that is undefined is left out of the JSON.
        ...(dlt &&
          country === india && {
            DestinationCountryParameters: { IN_ENTITY_ID: dlt.entity, IN_TEMPLATE_ID: dlt.template },
          }),
        // Every event about the message contains it.
        Context: { message: reference },
      });
      return http.send({ path: '/', headers: signedHeaders(body), body }, withinMilliseconds, readAnswer);
    },
    /**
     * An event of a configuration set, plain or inside an SNS notification. It is authentic because of the reference in
     * its context, which only AWS and the service know.
     */
    readReceipts: ({ body }) =>
      readJsonReceipts(body, (outer) => {
        const { Type: type, TopicArn: topic, Token: token, Message: inner } = Object(outer);
        if (type !== 'SubscriptionConfirmation') {
          return readEvent(typeof inner === 'string' ? JSON.parse(inner) : outer);
        }
        if (!sns || topic !== values.awsTopic || typeof token !== 'string' || token.length > longestToken) {
          return undefined;
        }
        // Without it no receipt arrives, and AWS does not ask again.
        sns
          .send(subscriptionCall(topic, token), confirmMilliseconds, readConfirmation)
          .then((answer) => context.onLink(...linkOf(answer)))
          .catch(() => undefined);
        return [];
      }),
    close() {
      http.close();
      sns?.close();
    },
  };
}

/** Confirms the subscription at AWS itself. Only the token of the notification is used: no URL in it is followed. */
function subscriptionCall(topicArn: string, token: string) {
  const form = new URLSearchParams({
    Action: 'ConfirmSubscription',
    Version: '2010-03-31',
    TopicArn: topicArn,
    Token: token,
  });
  return { path: '/', headers: { 'content-type': formType }, body: form.toString() };
}

function readConfirmation(answer: HttpAnswer): GatewayAnswer {
  return answer.status === 200 ? accepted() : outcomeOfStatus(answer);
}

function linkOf(answer: GatewayAnswer): [isUp: boolean, reason?: string] {
  return answer.outcome === 'accepted' ? [true] : [false, `SNS subscription: ${answer.reason}`];
}

function readAnswer(answer: HttpAnswer): GatewayAnswer {
  const { status, json } = answer;
  if (status === 200 && typeof json?.MessageId === 'string') return accepted(json.MessageId);
  const type = String(json?.__type ?? '').replace(/^.*#/, '');
  if (type === '') return outcomeOfStatus(answer);
  const detail = String(json.Reason ?? '');
  const reason = `${type} ${detail}`.trim();
  if (type === 'ThrottlingException') return throttled(reason, retryAfterOf(answer));
  if (detail.startsWith('DESTINATION_') || refusals.has(detail) || hasWrongDestination(json)) return refused(reason);
  return wrongSender.has(detail) ? unable(reason) : unavailable(reason);
}

// oxlint-disable-next-line no-explicit-any -- read member by member
function hasWrongDestination({ Fields: fields }: any): boolean {
  return Array.isArray(fields) && fields.some((field: { Name?: unknown }) => field?.Name === 'DestinationPhoneNumber');
}

const failures = new Set([
  'TEXT_BLOCKED',
  'TEXT_CARRIER_BLOCKED',
  'TEXT_CARRIER_UNREACHABLE',
  'TEXT_INVALID',
  'TEXT_INVALID_MESSAGE',
  'TEXT_PROTECT_BLOCKED',
  'TEXT_SPAM',
  'TEXT_TTL_EXPIRED',
  'TEXT_UNKNOWN',
  'TEXT_UNREACHABLE',
]);

// oxlint-disable-next-line no-explicit-any -- read member by member
function readEvent(event: any): Receipt[] | undefined {
  const reference: unknown = event?.context?.message;
  if (typeof reference !== 'string') return undefined;
  const type = String(event.eventType);
  const receipt = { reference, id: String(event.messageId ?? '') };
  if (type === 'TEXT_DELIVERED') return [{ ...receipt, state: 'delivered' }];
  return failures.has(type) ? [{ ...receipt, state: 'failed', reason: type }] : [];
}
