/** Wires confirmations, which share gateways, codes and the guard with phone verification. */
import { createCheckConfirmation } from '../confirmations/check-confirmation.ts';
import { createConfirmationCodes } from '../confirmations/confirmation-codes.ts';
import { createConfirmationsStore } from '../confirmations/confirmations.store.ts';
import { createConfirmationRebuilder } from '../confirmations/rebuild-text.ts';
import { createReadConfirmation } from '../confirmations/read-confirmation.ts';
import { createReserveConfirmation } from '../confirmations/reserve-confirmation.ts';
import { createSendConfirmation } from '../confirmations/send-confirmation.ts';
import type { CodeDelivery } from '../codes/deliver-code.ts';
import type { SendOnce } from '../codes/idempotent-send.ts';
import type { FindTestNumber } from '../codes/test-numbers.ts';
import type { DigestKeys } from '../crypto/digest-keys.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { Channels } from '../codes/choose-channels.ts';
import { createConfirmationTexts } from '../sms/confirmation-text.ts';
import type { MessageWriter } from '../sms/message.ts';
import type { Core } from './core.ts';
import type { OpenGuard } from './guard.ts';

interface OpenConfirmationParts {
  guard: OpenGuard;
  delivery: CodeDelivery;
  once: SendOnce;
  texts: MessageWriter;
  channels: Channels;
  testNumber: FindTestNumber;
  digestKeys: DigestKeys;
  observe: Observe;
}

const expiredAtOnce = 1000;

export function openConfirmations(core: Core, parts: OpenConfirmationParts) {
  const { config, db, clock, jobs, traced } = core;
  const { guard, delivery, once, texts, channels, testNumber, digestKeys, observe } = parts;
  const { live, judgeAttempt, digest, sendJudge } = guard;
  const { codeAttempts, codeDigits, confirmationSeconds } = config;
  const store = traced('confirmations', createConfirmationsStore(db));
  const sealKeys = core.deriveKeys('confirmation terms');
  const codes = createConfirmationCodes({ digestKeys, sealKeys, testNumber, codeDigits });
  const write = createConfirmationTexts(config, texts);
  const confirmations = createReadConfirmation(store, clock);
  jobs.start({
    'confirmation-expiry': async () => {
      while ((await store.expireConfirmations(clock.now(), expiredAtOnce)) === expiredAtOnce);
    },
  });
  return {
    sendConfirmation: createSendConfirmation({
      store,
      reserve: createReserveConfirmation({ store, live, judge: sendJudge, digest, clock, codeAttempts }),
      codes,
      delivery,
      once,
      write,
      channels,
      read: confirmations.read,
      confirmationSeconds,
    }),
    checkConfirmation: createCheckConfirmation({
      ...{ store, codes, live, judgeAttempt, digest, clock, observe, codeAttempts },
    }),
    confirmations,
    rebuilder: createConfirmationRebuilder(codes, write),
  };
}
