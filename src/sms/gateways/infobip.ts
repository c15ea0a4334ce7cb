/** Infobip: POST /sms/3/messages. A 200 may carry a refusal in messages[].status. */
import { accepted, refused, unavailable, type Callback, type Gateway, type Answer, type Receipt } from '../gateway.ts';
import { outcomeOfStatus, httpCaller, type HttpAnswer } from '../http.ts';
import type { SenderOf } from '../senders.ts';

export interface InfobipSettings {
  url: string;
  apiKey: string;
  sender: SenderOf;
  callbackUrl: ((reference: string) => string) | undefined;
}

/** groupId: 0 accepted, 1 pending, 3 delivered; 2 undeliverable, 4 expired, 5 rejected. */
const carried = new Set([0, 1, 3]);

/** Refusals that another gateway need not share: credit, account, sender, route. */
const ofTheAccount = /CREDIT|ACCOUNT|SENDER|SYSTEM|NETWORK|ROUTE|FLOOD|PRICE|PERMISSION|THROTTL|LIMIT|QUOTA|TEMPLATE/;

export function infobip(settings: InfobipSettings): Gateway {
  const http = httpCaller(settings.url);

  function read(answer: HttpAnswer): Answer {
    const sent = answer.json?.messages?.[0];
    if (answer.status !== 200 || typeof sent?.status?.groupId !== 'number') return outcomeOfStatus(answer);
    if (carried.has(sent.status.groupId)) return accepted(sent.messageId);
    const reason = String(sent.status.name ?? sent.status.groupName ?? `group ${sent.status.groupId}`);
    return ofTheAccount.test(reason) ? unavailable(reason) : refused(reason);
  }

  return {
    name: 'infobip',
    send({ phone, text, country, reference, validSeconds }, withinMilliseconds) {
      const message = {
        sender: settings.sender(country).replace(/^\+/, ''),
        destinations: [{ to: phone.slice(1) }],
        content: { text },
        options: { validityPeriod: { amount: validSeconds, timeUnit: 'SECONDS' } },
        ...(settings.callbackUrl && {
          webhooks: { delivery: { url: settings.callbackUrl(reference) }, contentType: 'application/json' },
        }),
      };
      const call = {
        path: '/sms/3/messages',
        headers: {
          authorization: `App ${settings.apiKey}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: JSON.stringify({ messages: [message] }),
      };
      return http.outcome(call, withinMilliseconds, read);
    },
    /** Infobip signs nothing: the address alone, which nobody else knows, makes a report authentic. */
    readReceipts({ body }: Callback): Receipt[] | undefined {
      try {
        const results: unknown = JSON.parse(body.toString())?.results;
        return Array.isArray(results) ? results.flatMap(readReport) : undefined;
      } catch {
        return undefined;
      }
    },
    close: http.close,
  };
}

// oxlint-disable-next-line no-explicit-any -- read member by member
function readReport(report: any): Receipt[] {
  const group: unknown = report?.status?.groupId;
  const id = String(report?.messageId ?? '');
  if (group === 3) return [{ id, state: 'delivered' }];
  const reason = String(report?.error?.name ?? report?.status?.name ?? group);
  return group === 2 || group === 4 || group === 5 ? [{ id, state: 'failed', reason }] : [];
}
