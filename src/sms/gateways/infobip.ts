/** Infobip: POST /sms/3/messages. A 200 may contain a refusal in messages[].status. */
import { requiredSetting, url, word } from '../../formats/setting-kinds.ts';
import { defineGateway } from '../define-gateway.ts';
import { india, type DltIds } from '../dlt.ts';
import {
  accepted,
  refused,
  throttled,
  unable,
  unavailable,
  unknown,
  type GatewayAnswer,
  type Receipt,
} from '../gateway.ts';
import { httpCaller, outcomeOfStatus, readJsonReceipts, type HttpAnswer } from '../http.ts';

const groups = { accepted: 0, pending: 1, undeliverable: 2, delivered: 3, expired: 4, rejected: 5 };
const acceptedGroups: unknown[] = [groups.accepted, groups.pending, groups.delivered];
const failedGroups: unknown[] = [groups.undeliverable, groups.expired, groups.rejected];

/**
 * Statuses about the destination: not a number, unreachable, barred, in a network that the account does not reach,
 * blocked as fraud. https://www.infobip.com/docs/essentials/response-status-and-error-codes
 */
const refusals = new Set([
  'REJECTED_DESTINATION',
  'REJECTED_DESTINATION_BLOCKLISTED',
  'REJECTED_DESTINATION_NOT_REGISTERED',
  'REJECTED_DND',
  'REJECTED_NETWORK',
  'REJECTED_PREFIX_MISSING',
  'SIGNALS_BLOCKED',
  'UNDELIVERABLE_NOT_DELIVERED',
  'UNDELIVERABLE_REJECTED_OPERATOR',
]);
const wrongSender = new Set(['REJECTED_SENDER', 'REJECTED_SOURCE']);
/** Too many messages to one number within the hour. */
const flooding = 'REJECTED_FLOODING_FILTER';
/** In the group of delivered messages, but it may still fail. */
const deliveredToOperator = 'DELIVERED_TO_OPERATOR';

export const infobip = defineGateway({
  name: 'infobip',
  receiptMethods: ['POST'],
  needsDltIds: true,
  settings: {
    infobipKey: requiredSetting({
      env: 'LEDGERLINE_INFOBIP_KEY',
      kind: word,
      secret: true,
      about: 'Infobip: the API key.',
    }),
    infobipUrl: requiredSetting({
      env: 'LEDGERLINE_INFOBIP_URL',
      kind: url('https', 'http'),
      httpsOnly: true,
      about: 'Infobip: the account’s own base URL.',
    }),
  },
  create({ infobipKey, infobipUrl }, { sender, callbackUrl }) {
    const http = httpCaller(infobipUrl);
    return {
      name: 'infobip',
      send({ e164, text, country, reference, validSeconds, dlt }, withinMilliseconds) {
        const message = {
          sender: sender(country).replace(/^\+/, ''),
          destinations: [{ to: e164.slice(1) }],
          content: { text },
          options: {
            validityPeriod: { amount: validSeconds, timeUnit: 'SECONDS' },
            ...(dlt && country === india && { regional: { indiaDlt: indiaDlt(dlt) } }),
          },
          ...(callbackUrl && {
            webhooks: { delivery: { url: callbackUrl(reference) }, contentType: 'application/json' },
          }),
        };
        const call = {
          path: '/sms/3/messages',
          headers: {
            authorization: `App ${infobipKey}`,
            'content-type': 'application/json',
            accept: 'application/json',
          },
          body: JSON.stringify({ messages: [message] }),
        };
        return http.send(call, withinMilliseconds, readAnswer);
      },
      /** Infobip does not sign reports: a report is authentic because only Infobip knows its URL. */
      readReceipts: ({ body }) =>
        readJsonReceipts(body, ({ results }) => (Array.isArray(results) ? results.flatMap(readReport) : undefined)),
      check: (withinMilliseconds) =>
        http.check('/account/1/balance', { authorization: `App ${infobipKey}` }, withinMilliseconds),
      close: http.close,
    };
  },
});

/** A member that is undefined is left out of the JSON. */
function indiaDlt({ entity, template, telemarketer }: DltIds) {
  return { principalEntityId: entity, contentTemplateId: template, telemarketerId: telemarketer };
}

function readAnswer(answer: HttpAnswer): GatewayAnswer {
  const { status, json } = answer;
  const sent = json?.messages?.[0];
  if (status === 400 && hasWrongDestination(json)) return refused('HTTP 400, destinations');
  if (status !== 200 || typeof sent?.status?.groupId !== 'number') return outcomeOfStatus(answer);
  const { groupId, groupName, name } = sent.status;
  if (acceptedGroups.includes(groupId)) return accepted(sent.messageId);
  const reason = String(name ?? groupName ?? `group ${groupId}`);
  if (refusals.has(reason)) return refused(reason);
  if (groupId === groups.expired) return unknown(reason);
  if (wrongSender.has(reason)) return unable(reason);
  // It concerns only one number, so there is no reason to pause the gateway.
  return reason === flooding ? throttled(reason, 0) : unavailable(reason);
}

// oxlint-disable-next-line no-explicit-any -- read member by member
function hasWrongDestination(json: any): boolean {
  return (
    Array.isArray(json?.violations) &&
    json.violations.some((violation: { property?: unknown }) => /\bdestinations\b/.test(String(violation?.property)))
  );
}

// oxlint-disable-next-line no-explicit-any -- read member by member
function readReport(report: any): Receipt[] {
  const group: unknown = report?.status?.groupId;
  const id = String(report?.messageId ?? '');
  if (group === groups.delivered) return report.status.name === deliveredToOperator ? [] : [{ id, state: 'delivered' }];
  const reason = String(report?.error?.name ?? report?.status?.name ?? group);
  return failedGroups.includes(group) ? [{ id, state: 'failed', reason }] : [];
}
