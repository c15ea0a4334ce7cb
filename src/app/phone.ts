/** Wires phone verification: guard, gateways, send and verify. */
import { secondsAfter } from '../values/clock.ts';
import { createCodeMaker } from '../codes/code-maker.ts';
import { createCodesStore } from '../codes/codes.store.ts';
import { createObjectToChannel } from '../codes/object-to-channel.ts';
import { createDelivery } from '../codes/deliver-code.ts';
import { createSendKeyStore } from '../codes/idempotent-send.store.ts';
import { createSpendOnText } from '../codes/spend-on-text.ts';
import { createSendOnce } from '../codes/idempotent-send.ts';
import type { SecondRoutes } from '../codes/second-route.ts';
import { createSendNotice } from '../phone/send-notice.ts';
import { testNumbers } from '../codes/test-numbers.ts';
import { readLimits } from '../guard/limits.ts';
import { createRefusalsStore } from '../guard/refusals.store.ts';
import { createUsage } from '../guard/usage.ts';
import { createUsageStore } from '../guard/usage.store.ts';
import { createFindMessages } from '../messages/find-messages.ts';
import { createMessageLogStore } from '../messages/message-log.store.ts';
import { createOverview } from '../messages/overview.ts';
import { createPerformance } from '../messages/performance.ts';
import { createPerformanceStore } from '../messages/performance.store.ts';
import { createEventLogStore } from '../events/event-log.store.ts';
import { createGatewayEvents } from '../events/gateway-events.ts';
import { createChangePhone } from '../phone/change-phone.ts';
import { createChangesStore } from '../phone/changes.store.ts';
import { createPhoneRebuilder } from '../phone/rebuild-text.ts';
import { createPhoneStore } from '../phone/phone.store.ts';
import { createSendCode } from '../phone/send-code.ts';
import { createFreePhone, createUnlinkPhone } from '../phone/unlink-phone.ts';
import { createVerifyCode } from '../phone/verify-code.ts';
import { createChannels } from '../codes/choose-channels.ts';
import { createFailover, type Failover } from '../sms/failover.ts';
import type { Gateway } from '../sms/gateway.ts';
import { gatewayChannels } from '../sms/gateways/index.ts';
import type { Inbox } from '../sms/inbox.ts';
import { createMessages } from '../sms/message.ts';
import { createNotices } from '../sms/notice-text.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { parsePhoneNumber } from '../values/phone-number.ts';
import { openConfirmations } from './confirmations.ts';
import type { Core } from './core.ts';
import { reportFailure, reportWork } from './report-work.ts';
import { createGateways } from './gateways.ts';
import { openGuard } from './guard.ts';
import { openMessages, type OpenMessages } from './messages.ts';
import { openSecondRoutes } from './second-routes.ts';

interface PhoneParts {
  /** The URL at which gateways reach the service. */
  url: string;
  inbox: Inbox;
  /** Writes to the terminal, for the console gateway only. */
  terminal(text: string): void;
}

/** Maximum time to record the outcome after a dispatch. */
const recordingSeconds = 30;

/** Maximum time of a verification between counting its failure and writing the event of the block that it started. */
const longestVerifySeconds = 120;
const missedBlocksAtOnce = 1000;

/** Prices are in ten-thousandths. */
const priceUnits = 10_000;

function openMessageLog({ config, db, clock, traced }: Core) {
  const limits = readLimits(config);
  const { prices } = limits;
  const priceOf = (country: string | null, channel: string) => {
    const names = [`${channel}:${country}`, `${channel}:*`, country ?? '', '*'];
    return (prices.get(names.find((name) => prices.has(name)) ?? '') ?? 0) / priceUnits;
  };
  const { findRefusals } = traced('guard', createRefusalsStore(db));
  return {
    findMessages: createFindMessages(traced('messages', createMessageLogStore(db)), findRefusals, clock),
    readUsage: createUsage(traced('guard', createUsageStore(db)), limits, clock),
    readPerformance: createPerformance(traced('messages', createPerformanceStore(db)), clock, priceOf),
  };
}

export async function openPhone(core: Core, { url, inbox, terminal }: PhoneParts) {
  const { config, db, clock, observer, traced } = core;
  const phones = traced('phone', createPhoneStore(db));
  // Receipts arrive only after everything is wired.
  let secondRoutes: SecondRoutes | undefined;
  const messages = openMessages(core, async (code, state, at) => {
    if (state === 'failed') secondRoutes?.onFailed(code);
    if (guard.live.modes.prefix === 'off') return;
    try {
      const e164 = await phones.readPhoneOfCode(code);
      const phoneNumber = e164 === null || guard.live.isSafe(e164) ? undefined : parsePhoneNumber(e164);
      if (phoneNumber) guard.ranges.noteReceipt({ channel: code.channel, ...phoneNumber }, state, at);
    } catch (error) {
      // The receipt is stored. It is only missing from the counts of the rule.
      reportFailure(observer.observe, 'receipt-counts')(error);
    }
  });
  const guard = await openGuard(core, phones, messages.observePhone);
  core.jobs.start({
    'missed-blocks': async () => {
      if (guard.live.modes['user-failures'] !== 'enforce') return;
      const now = clock.now();
      await phones.writeMissedBlockEvents(now, secondsAfter(now, -longestVerifySeconds), missedBlocksAtOnce);
    },
  });
  const gateways = openGateways(core, { inbox, terminal }, messages);
  const failover = openFailover(core, gateways, messages);
  const texts = createMessages(config);
  const channels = createChannels(config.channels);
  const usedChannels = [...new Set([...config.channels.values()].flat())];
  for (const template of texts.findLongTemplates()) observer.observe({ kind: 'template-too-long', ...template });
  const whileWaiting = core.admission.outside.bind(core.admission);
  const observe = messages.observePhone;
  const digestKeys = core.deriveKeys('codes');
  const testNumber = testNumbers(config.testNumbers ?? []);
  const codes = createCodeMaker({ digestKeys, testNumber, codeDigits: config.codeDigits });
  const { finishSend, leaseBudgets, readChannels } = traced('codes', createCodesStore(db));
  const { referenceKeys } = messages;
  const spend = createSpendOnText(guard.sendJudge, leaseBudgets, clock);
  const objectToChannel = createObjectToChannel({
    live: guard.live,
    ranges: guard.ranges,
    spend,
    clock,
    report: reportWork(observer, 'next-channel'),
  });
  const delivery = createDelivery({
    finishSend,
    objectToChannel,
    testNumber,
    referenceKeys,
    clock,
    observe,
    // A gateway may take seconds, in which the request needs no slot.
    dispatch: (message, owner) => whileWaiting(() => failover.send(message), owner),
  });
  const once = createSendOnce({
    store: traced('codes', createSendKeyStore(db)),
    clock,
    waitSeconds: config.sendSeconds + 2,
    digest: guard.digest,
    whileWaiting,
  });
  const confirmationParts = { guard, delivery, once, texts, channels, testNumber, digestKeys, observe };
  const { rebuilder, ...confirmations } = openConfirmations(core, confirmationParts);
  secondRoutes = openSecondRoutes(core, {
    rebuilders: {
      verification: createPhoneRebuilder('verification', codes, texts.write),
      change: createPhoneRebuilder('change', codes, texts.write),
      confirmation: rebuilder,
    },
    spend,
    channels,
    delivery,
    objectToChannel,
    order: messages.order,
  });
  const send = createSendCode({
    store: phones,
    once,
    delivery,
    write: texts.write,
    channels,
    codes,
    reserveSend: guard.reserveSend,
    codeSeconds: config.codeSeconds,
    codeAttempts: config.codeAttempts,
  });
  const verifyCode = createVerifyCode({
    store: phones,
    clock,
    observe,
    digestKeys,
    live: guard.live,
    judgeAttempt: guard.judgeAttempt,
    digest: guard.digest,
    ranges: guard.ranges,
    channelsOf: usedChannels.length > 1 ? readChannels : async () => usedChannels,
    report: reportWork(observer, 'verified-counts'),
    codeAttempts: config.codeAttempts,
    dispatchSeconds: config.sendSeconds + recordingSeconds,
  });
  const changes = traced('phone', createChangesStore(db));
  const sendNotice = createSendNotice({
    store: changes,
    spend,
    write: createNotices(texts),
    channels,
    dispatch: failover.send,
    referenceKeys,
    observe,
    report: reportWork(observer, 'change-notice'),
  });
  return {
    guard,
    services: {
      ...confirmations,
      send,
      verifyCode,
      changePhone: createChangePhone({
        store: changes,
        send,
        verifyCode,
        sendNotice: config.changeNotice ? sendNotice : undefined,
        isConfirmationRequired: config.changeConfirmed,
      }),
      guardControl: guard.control,
      unlinkPhone: createUnlinkPhone(phones, clock, observe),
      freePhone: createFreePhone(phones, clock, observe),
      receipts: {
        publicUrl: url,
        find: (name: string) => gateways.find((gateway) => gateway.name === name),
        take: messages.receipts.take,
      },
      readTrail: messages.trail.read,
      ...openMessageLog(core),
      readOverview: createOverview({
        store: messages.store,
        clock,
        failover,
        order: messages.order,
        configuredOrder: config.gateways!.value,
        isQuiet: config.isQuiet,
      }),
    },
  };
}

/** None while the service is quiet: even an SMPP session without texts would take the receipts of another service. */
function openGateways(core: Core, { inbox, terminal }: Pick<PhoneParts, 'inbox' | 'terminal'>, messages: OpenMessages) {
  const { config, observer } = core;
  if (config.isQuiet) return [];
  const gateways = createGateways({
    config,
    inbox,
    terminal,
    onLink: (gateway, isUp, reason) =>
      observer.observe({ kind: 'gateway-link', gateway, state: isUp ? 'up' : 'down', ...(reason && { reason }) }),
    onReceipt: (receipt) => void messages.receipts.takeSmpp(receipt).catch(reportWork(observer, 'receipt')),
  });
  return traceGateways(core.tracing, gateways);
}

function traceGateways(tracing: Tracing | undefined, gateways: Gateway[]): Gateway[] {
  if (!tracing) return gateways;
  return gateways.map((gateway) => ({
    ...gateway,
    send: (message, withinMilliseconds) =>
      tracing.run(`sms ${gateway.name}`, { 'ledgerline.gateway': gateway.name }, () =>
        gateway.send(message, withinMilliseconds),
      ),
  }));
}

function openFailover(core: Core, gateways: Gateway[], messages: OpenMessages): Failover {
  const { config, observer, releasers } = core;
  const { observe } = observer;
  const gatewayEvents = openGatewayEvents(core);
  const failover = createFailover({
    gateways,
    channelsOf: (gateway) => gatewayChannels.get(gateway) ?? [],
    orderFor: messages.order.orderFor,
    gatewayMilliseconds: config.gatewaySeconds * 1000,
    budgetMilliseconds: config.sendSeconds * 1000,
    breaker: {
      failures: config.breaker.failures,
      openMilliseconds: config.breaker.pauseSeconds * 1000,
      longestMilliseconds: config.breaker.longestPauseSeconds * 1000,
    },
    now: () => performance.now(),
    onTry: ({ gateway, outcome, reason, milliseconds }, traceId) =>
      observe({ kind: 'gateway-asked', gateway, outcome, ...(reason && { reason }), milliseconds, traceId }),
    onBreaker: (gateway, state, reason) => {
      observe({ kind: 'gateway-breaker', gateway, state, ...(reason && { reason }) });
      gatewayEvents.note(gateway, state, reason);
    },
  });
  releasers.add(failover.close);
  return failover;
}

function openGatewayEvents({ db, clock, observer, jobs, releasers, traced }: Core) {
  const events = createGatewayEvents({ write: traced('events', createEventLogStore(db)).writeEvent, clock });
  releasers.add(() => events.flush().catch(reportFailure(observer.observe, 'gateway-events')));
  jobs.start({ 'gateway-events': events.flush });
  return events;
}
