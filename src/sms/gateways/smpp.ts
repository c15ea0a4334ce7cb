/** SMPP 3.4: one session with an SMSC, opened again whenever it breaks. */
import { fail, integer, requiredSetting, url, type Kind } from '../../formats/setting-kinds.ts';
import { valueWithin } from '../../network/give-time.ts';
import { defineGateway, type GatewayContext, type GatewayValues } from '../define-gateway.ts';
import { splitSegments } from '../encoding.ts';
import type { DltIds } from '../dlt.ts';
import { explainConnection } from '../explain-connection.ts';
import {
  accepted,
  refused,
  throttled,
  unable,
  unavailable,
  unknown,
  type Gateway,
  type GatewayAnswer,
  type Message,
} from '../gateway.ts';
import { addressOf, partHeader, readSubmitted, submitBody, type OptionalParameter } from '../smpp/pdu.ts';
import { nameStatus, openSession, type Response, type SmppSession } from '../smpp/session.ts';

/** Section 5.1.3. */
const invalidSource = 0x0a;
const invalidDestination = 0x0b;
const queueFull = 0x14;
const submitFailed = 0x45;
const throttling = 0x58;

const shortestPauseMilliseconds = 500;
const longestPauseMilliseconds = 30_000;
/** After a start the first messages wait this long for the bind. */
const bindWaitMilliseconds = 1500;
const defaultEnquireMilliseconds = 15_000;

/** How many messages may wait for the SMSC's response at the same time. Most SMSCs allow 10 to 100. */
const defaultWindow = '50';
const windowKind = integer(1, 1000);

const urlKind: Kind<string> = {
  form: 'URL, smpp://system-id@host:port or smpps://system-id@host:port, with ?window=…&system-type=… if the SMSC wants others than 50 and none',
  parse(value) {
    const checked = url('smpp', 'smpps').parse(value);
    const { username, searchParams } = new URL(checked);
    if (username === '') return fail('must name the system id: smpp://system-id@host:port');
    const unknownName = [...searchParams.keys()].find((name) => name !== 'window' && name !== 'system-type');
    if (unknownName !== undefined) return fail(`has the parameter ${unknownName}; there are window and system-type`);
    windowKind.parse(searchParams.get('window') ?? defaultWindow);
    return checked;
  },
};

/** Section 5.2.2: nine octets, the last of them a zero. */
const passwordKind: Kind<string> = {
  form: 'text of at most 8 characters',
  parse: (value) => (value.length <= 8 ? value : fail('must have at most 8 characters, as SMPP 3.4 allows no more')),
};

const settings = {
  smppUrl: requiredSetting({
    env: 'LEDGERLINE_SMPP_URL',
    kind: urlKind,
    about:
      'SMPP: smpp://system-id@host:port, or smpps:// for TLS. `window` is how many messages may wait for the SMSC’s response at the same time.',
  }),
  smppPassword: requiredSetting({
    env: 'LEDGERLINE_SMPP_PASSWORD',
    kind: passwordKind,
    secret: true,
    about: 'SMPP: the password, of at most 8 characters.',
  }),
};

export const smpp = defineGateway({
  name: 'smpp',
  needsDltIds: true,
  settings,
  create: (values, context) => createSmpp(values, context),
});

export function createSmpp(
  { smppUrl, smppPassword }: GatewayValues<typeof settings>,
  { sender, onReceipt, onLink }: Pick<GatewayContext, 'sender' | 'onReceipt' | 'onLink'>,
  enquireMilliseconds = defaultEnquireMilliseconds,
): Gateway {
  const { searchParams } = new URL(smppUrl);
  let session: SmppSession | undefined;
  let pauseMilliseconds = shortestPauseMilliseconds;
  let timer: NodeJS.Timeout | undefined;
  let lastReason = 'not connected yet';
  let isClosed = false;
  /** Phones use it to join the parts of a long message. */
  let partReference = 0;

  function open(): void {
    const opened = openSession({
      url: smppUrl,
      password: smppPassword,
      systemType: searchParams.get('system-type') ?? '',
      window: Number(searchParams.get('window') ?? defaultWindow),
      enquireMilliseconds,
      onReceipt,
      onEnd(reason) {
        if (opened === session) session = undefined;
        lastReason = reason;
        if (isClosed) return;
        onLink(false, reason);
        timer = setTimeout(open, pauseMilliseconds).unref();
        pauseMilliseconds = Math.min(longestPauseMilliseconds, pauseMilliseconds * 2);
      },
    });
    session = opened;
    opened.bound
      .then((isBound) => {
        if (!isBound) return;
        pauseMilliseconds = shortestPauseMilliseconds;
        onLink(true);
      })
      // A link that cannot be used is closed, and opened again later.
      .catch(() => opened.close());
  }
  open();

  async function boundSession(withinMilliseconds: number): Promise<SmppSession | undefined> {
    const current = session;
    const waitMilliseconds = Math.min(withinMilliseconds, bindWaitMilliseconds);
    const isBound = current && (await valueWithin(current.bound, waitMilliseconds, () => false));
    return isBound ? current : undefined;
  }

  async function send(message: Message, withinMilliseconds: number): Promise<GatewayAnswer> {
    const endsAt = performance.now() + withinMilliseconds;
    const current = await boundSession(withinMilliseconds);
    if (!current) return unavailable(lastReason);
    partReference = (partReference + 1) & 0xff;
    let answer: GatewayAnswer | undefined;
    for (const [index, body] of submissions(message, sender(message.country), partReference).entries()) {
      answer = readAnswer(await current.submit(body, endsAt - performance.now()));
      if (answer.outcome !== 'accepted') return index > 0 ? unknown(`${answer.reason}, of a part`) : answer;
    }
    return answer!;
  }

  return {
    name: 'smpp',
    send,
    /** A bind needs our credentials. */
    async check(withinMilliseconds) {
      const isBound = (await boundSession(withinMilliseconds)) !== undefined;
      if (isBound) return { isUsable: true };
      // The reason is the code of the error, if the connection could not be opened.
      return explainConnection({ code: lastReason }, lastReason, 'it does not bind');
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await session?.close();
    },
  };
}

/** The bodies of the submit_sm requests for a message, one for each part. */
function submissions(message: Message, sender: string, partReference: number): Buffer[] {
  const { alphabet, parts } = splitSegments(message.text);
  return parts.map((part, index) => {
    const header = parts.length > 1 ? partHeader(partReference, parts.length, index + 1) : undefined;
    return submitBody({
      source: addressOf(sender),
      destination: addressOf(message.e164),
      validSeconds: message.validSeconds,
      // A long message counts as delivered when its last part is delivered.
      wantsReceipt: index === parts.length - 1,
      ucs2: alphabet === 'UCS-2',
      hasHeader: header !== undefined,
      text: header ? Buffer.concat([header, part]) : part,
      optional: dltParameters(message.dlt),
    });
  });
}

/**
 * The vendor-specific tags that India's operators agreed on, each a C-octet string: PE_ID, TEMPLATE_ID and TM_ID. Every
 * part of a long message has them.
 */
const dltTags = { entity: 0x1400, template: 0x1401, telemarketer: 0x1402 };

function dltParameters(ids: DltIds | undefined): OptionalParameter[] {
  const { entity, template, telemarketer } = dltTags;
  return [
    { tag: entity, value: ids?.entity },
    { tag: template, value: ids?.template },
    { tag: telemarketer, value: ids?.telemarketer },
  ].filter((parameter): parameter is OptionalParameter => parameter.value !== undefined);
}

function readAnswer(response: Response): GatewayAnswer {
  if (response.outcome !== 'answered') return response;
  const { status, body } = response.pdu;
  if (status === 0) return accepted(readSubmitted(body));
  const reason = nameStatus(status);
  if (status === invalidDestination) return refused(reason);
  // Many SMSCs return this status for a number to which they have no route.
  if (status === invalidSource || status === submitFailed) return unable(reason);
  return status === throttling || status === queueFull ? throttled(reason) : unavailable(reason);
}
