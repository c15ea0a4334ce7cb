/** AWS End User Messaging: SendTextMessage of the API PinpointSMSVoiceV2. */
import { accepted, refused, unavailable, type Callback, type Gateway, type Answer, type Receipt } from '../gateway.ts';
import { outcomeOfStatus, formType, httpCaller, type HttpAnswer } from '../http.ts';
import type { SenderOf } from '../senders.ts';
import { signV4, type AwsCredentials } from './sigv4.ts';

export interface AwsSettings {
  url: string;
  region: string;
  credentials: AwsCredentials;
  configurationSet: string | undefined;
  /** The SNS topic whose subscription to our receipts is confirmed. */
  topic: { arn: string; url: string } | undefined;
  sender: SenderOf;
  now(): Date;
}

/** The bounds on TimeToLive. */
const shortestSeconds = 5;
const longestSeconds = 259_200;

const confirmMilliseconds = 5000;

export function aws(settings: AwsSettings): Gateway {
  const http = httpCaller(settings.url);
  const { host } = new URL(settings.url);
  const sns = settings.topic && httpCaller(settings.topic.url);

  /** Asked of AWS itself, with nothing of the notification but its token: no address in it is followed. */
  function confirm(token: string): void {
    const form = new URLSearchParams({
      Action: 'ConfirmSubscription',
      Version: '2010-03-31',
      TopicArn: settings.topic!.arn,
      Token: token,
    });
    const call = { path: '/', headers: { 'content-type': formType }, body: form.toString() };
    void sns!.outcome(call, confirmMilliseconds, () => accepted());
  }

  function read(answer: HttpAnswer): Answer {
    const { status, json } = answer;
    if (status === 200 && typeof json?.MessageId === 'string') return accepted(json.MessageId);
    const type = String(json?.__type ?? '').replace(/^.*#/, '');
    if (type === '') return outcomeOfStatus(answer);
    const reason = `${type} ${json.Reason ?? ''}`.trim();
    return isOfThePhone(type, json) ? refused(reason) : unavailable(reason);
  }

  return {
    name: 'aws',
    send({ phone, text, country, reference, validSeconds }, withinMilliseconds) {
      const body = JSON.stringify({
        DestinationPhoneNumber: phone,
        OriginationIdentity: settings.sender(country),
        MessageBody: text,
        MessageType: 'TRANSACTIONAL',
        TimeToLive: Math.min(longestSeconds, Math.max(shortestSeconds, validSeconds)),
        ...(settings.configurationSet && { ConfigurationSetName: settings.configurationSet }),
        // Comes back in every event about the message.
        Context: { message: reference },
      });
      const { host: _, ...headers } = signV4(
        {
          service: 'sms-voice',
          region: settings.region,
          path: '/',
          headers: {
            host,
            'content-type': 'application/x-amz-json-1.0',
            'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
          },
          body,
        },
        settings.credentials,
        settings.now(),
      );
      return http.outcome({ path: '/', headers, body }, withinMilliseconds, read);
    },
    /**
     * An event of a configuration set, plain or inside an SNS notification. It is authentic by the reference
     * in its context, which nobody but we and AWS has.
     */
    readReceipts({ body }: Callback): Receipt[] | undefined {
      try {
        const outer: unknown = JSON.parse(body.toString());
        const { Type: type, TopicArn: topic, Token: token, Message: inner } = Object(outer);
        if (type === 'SubscriptionConfirmation') {
          if (topic !== settings.topic?.arn || typeof token !== 'string' || token.length > 1000) return undefined;
          confirm(token);
          return [];
        }
        return readEvent(typeof inner === 'string' ? JSON.parse(inner) : outer);
      } catch {
        return undefined;
      }
    },
    close() {
      http.close();
      sns?.close();
    },
  };
}

// oxlint-disable-next-line no-explicit-any -- read member by member
function isOfThePhone(type: string, json: any): boolean {
  if (type === 'ConflictException') return String(json.Reason).startsWith('DESTINATION_PHONE_NUMBER_OPTED_OUT');
  if (type !== 'ValidationException' || !Array.isArray(json.Fields)) return false;
  return json.Fields.some((field: { Name?: unknown }) => field?.Name === 'DestinationPhoneNumber');
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
