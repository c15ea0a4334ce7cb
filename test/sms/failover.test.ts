/** Failover between gateways: one outcome for all of them, the breaker, pauses that a gateway asks for. */
import { describe, expect, it } from 'vitest';
import { createFailover, type FailoverOptions, type OutgoingMessage } from '../../src/sms/failover.ts';
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
} from '../../src/sms/gateway.ts';

describe('failover', () => {
  const message: OutgoingMessage = {
    traceId: 'trace',
    referenceOf: (tryNumber) => `reference ${tryNumber}`,
    e164: '+447911123456',
    country: 'GB',
    channels: ['sms'],
    text: 'x',
    locale: 'en',
    code: '1',
    purpose: 'verification',
    validSeconds: 60,
  };
  const down = unavailable('down');
  const lost = unknown('lost');

  /** A gateway that gives these answers one after the other, and the last one for ever. */
  function scripted(name: string, ...answers: GatewayAnswer[]) {
    const references: string[] = [];
    const gateway: Gateway = {
      name,
      async send({ reference }: Message): Promise<GatewayAnswer> {
        references.push(reference);
        return answers[Math.min(references.length, answers.length) - 1]!;
      },
    };
    return { ...gateway, references };
  }

  function failoverOf(gateways: Gateway[], more: Partial<FailoverOptions> = {}) {
    const states: string[] = [];
    const clock = { now: 0 };
    const failover = createFailover({
      gateways,
      channelsOf: () => ['sms'],
      orderFor: () => gateways.map(({ name }) => name),
      gatewayMilliseconds: 100,
      budgetMilliseconds: 10_000,
      breaker: { failures: 3, openMilliseconds: 1000, longestMilliseconds: 4000 },
      now: () => clock.now,
      onTry: () => {},
      onBreaker: (gateway, state) => states.push(`${gateway} ${state}`),
      ...more,
    });
    return { failover, states, clock, send: () => failover.send(message) };
  }

  it.each([
    ['accepted', [accepted('id')], 'a', 'accepted', 'id'],
    ['accepted after unavailable', [down, accepted()], 'b', 'accepted'],
    ['accepted after unknown', [lost, accepted()], 'b', 'accepted'],
    ['refused', [refused('barred'), accepted()], 'a', 'refused'],
    ['refused after unavailable', [down, refused('barred'), accepted()], 'b', 'refused'],
    ['unknown, although the next one refuses', [lost, refused('barred'), accepted()], 'a', 'unknown'],
    ['unknown, although the next one is unavailable', [lost, down], 'a', 'unknown'],
    ['unknown after unavailable', [down, lost], 'b', 'unknown'],
    ['unavailable', [down, down], 'a', 'unavailable'],
  ] as [string, GatewayAnswer[], string, string, string?][])(
    'gives one outcome for all gateways: %s',
    async (_what, answers, gateway, outcome, gatewayId) => {
      const gateways = answers.map((answer, index) => scripted('abc'[index]!, answer));
      const dispatch = await failoverOf(gateways).send();
      expect(dispatch).toMatchObject({ outcome, gateway, gatewayId });
      const isFinal = outcome === 'accepted' || outcome === 'refused';
      expect(dispatch.retryAfterSeconds).toBe(isFinal ? undefined : 1);
      const decides = answers.findIndex((answer) => answer.outcome === 'accepted' || answer.outcome === 'refused');
      if (decides >= 0) {
        const asked = gateways.map(({ references }) => references.length);
        expect(asked).toEqual(answers.map((_, index) => (index <= decides ? 1 : 0)));
      }
    },
  );

  it('gives each text its own reference, and a repeated text the same one', async () => {
    const [a, b] = [scripted('a', lost), scripted('b', down)];
    await failoverOf([a, b]).send();
    expect([a.references, b.references]).toEqual([['reference 1'], ['reference 2', 'reference 3']]);
    const c = { ...scripted('c', lost, accepted()), idempotent: true };
    expect((await failoverOf([c]).send()).outcome).toBe('accepted');
    expect(c.references).toEqual(['reference 1', 'reference 1']);
  });

  it('asks the only gateway once more if it certainly sent nothing', async () => {
    const { outcome, tries } = await failoverOf([scripted('a', down, accepted())]).send();
    expect(outcome).toBe('accepted');
    expect(tries).toHaveLength(2);
    expect((await failoverOf([scripted('b', down)]).send()).tries).toHaveLength(2);
  });

  it('asks no gateway after the time of the send, also if it passed while the channel was being admitted', async () => {
    const a = scripted('a', down);
    const b = scripted('b', accepted());
    const { failover, clock } = failoverOf([a, b], {
      channelsOf: (name) => [name === 'a' ? 'whatsapp' : 'sms'],
      budgetMilliseconds: 1000,
    });
    const admitChannel = async () => {
      clock.now += 950;
      return true;
    };
    const { outcome } = await failover.send({ ...message, channels: ['whatsapp', 'sms'], admitChannel });
    expect([outcome, b.references]).toEqual(['unavailable', []]);
  });

  it('does not ask a gateway again after an unknown outcome', async () => {
    const a = scripted('a', lost, accepted());
    expect((await failoverOf([a]).send()).outcome).toBe('unknown');
    expect(a.references).toHaveLength(1);
  });

  it('leaves out a gateway that failed, probes it with one message, and takes it back', async () => {
    const a = scripted('a', down, lost, down, down, accepted());
    const b = scripted('b', accepted());
    const { failover, states, clock, send } = failoverOf([a, b]);
    for (let call = 0; call < 5; call += 1) await send();
    expect(a.references).toHaveLength(3);
    expect(failover.health()[0]).toEqual({ gateway: 'a', breaker: 'open', reason: 'down', probeInSeconds: 1 });
    clock.now += 1001;
    // Of many at once one probes, and fails: the wait doubles.
    await Promise.all(Array.from({ length: 20 }, send));
    expect(a.references).toHaveLength(4);
    clock.now += 1500;
    await send();
    expect(a.references).toHaveLength(4);
    clock.now += 501;
    await send();
    expect(a.references).toHaveLength(5);
    expect(failover.health()[0]).toEqual({ gateway: 'a', breaker: 'closed' });
    expect(states).toEqual(['a open', 'a probing', 'a open', 'a probing', 'a closed']);
    expect(b.references).toHaveLength(2 + 3 + 20 + 1);
  });

  it('learns nothing about a gateway from a refused destination', async () => {
    const barred = refused('barred');
    const a = scripted(
      'a',
      ...Array<GatewayAnswer>(10).fill(barred),
      down,
      down,
      barred,
      down,
      barred,
      barred,
      accepted(),
    );
    const { failover, states, clock, send } = failoverOf([a, scripted('b', accepted())]);
    for (let call = 0; call < 10; call += 1) await send();
    expect(states).toEqual([]);
    // A refusal between two failures does not make the gateway look healthy either.
    for (let call = 0; call < 4; call += 1) await send();
    expect(states).toEqual(['a open']);
    // A probe that is refused leaves the decision to the next message.
    clock.now += 1001;
    expect((await send()).outcome).toBe('refused');
    expect((await send()).outcome).toBe('refused');
    expect(failover.health()[0]!.breaker).toBe('probing');
    expect((await send()).gateway).toBe('a');
    expect(failover.health()[0]!.breaker).toBe('closed');
  });

  it('asks the next gateway if one cannot send this message, and the breaker does not count it', async () => {
    const a = scripted('a', unable('wrong sender'));
    const { failover, states, send } = failoverOf([a, scripted('b', accepted())]);
    for (let call = 0; call < 5; call += 1) expect((await send()).gateway).toBe('b');
    expect(states).toEqual([]);
    expect(failover.health()[0]).toEqual({ gateway: 'a', breaker: 'closed' });
    expect(a.references).toHaveLength(5);
    // Asking it once more would give the same answer.
    const only = scripted('c', unable('wrong sender'));
    expect((await failoverOf([only]).send()).tries).toHaveLength(1);
  });

  it('does not ask a gateway before its Retry-After is over, and tells the caller that time', async () => {
    const a = scripted('a', throttled('HTTP 429', 7), accepted());
    const { failover, states, clock, send } = failoverOf([a]);
    expect(await send()).toMatchObject({ outcome: 'unavailable', reason: 'HTTP 429', retryAfterSeconds: 7 });
    expect(failover.health()).toEqual([{ gateway: 'a', breaker: 'closed', pausedSeconds: 7 }]);
    clock.now += 6500;
    expect(await send()).toMatchObject({ outcome: 'unavailable', gateway: 'none', tries: [], retryAfterSeconds: 1 });
    expect(a.references).toHaveLength(1);
    clock.now += 501;
    expect((await send()).outcome).toBe('accepted');
    expect(states).toEqual([]);
  });

  it('honours a Retry-After up to a minute, and tells the shortest wait of several gateways', async () => {
    const a = scripted('a', throttled('HTTP 429', 86_400));
    const b = scripted('b', throttled('HTTP 429', 5), accepted());
    const { failover, clock, send } = failoverOf([a, b]);
    expect((await send()).retryAfterSeconds).toBe(5);
    expect(failover.health().map(({ pausedSeconds }) => pausedSeconds)).toEqual([60, 5]);
    clock.now += 5001;
    expect((await send()).gateway).toBe('b');
    clock.now += 55_000;
    await send();
    expect(a.references).toHaveLength(2);
  });

  it('gives the time of the next try when all gateways are left out', async () => {
    const { send } = failoverOf([scripted('a', down)], {
      breaker: { failures: 1, openMilliseconds: 7000, longestMilliseconds: 7000 },
    });
    await send();
    expect(await send()).toEqual({
      outcome: 'unavailable',
      gateway: 'none',
      channel: 'sms',
      gatewayId: undefined,
      reason: 'no gateway is available',
      tries: [],
      retryAfterSeconds: 7,
    });
  });

  it('does not wait for an adapter that exceeds its time or throws', async () => {
    const a: Gateway = { name: 'a', send: () => new Promise(() => {}) };
    const b: Gateway = { name: 'b', send: () => Promise.reject(new TypeError('defect')) };
    const { outcome, gateway, tries } = await failoverOf([a, b, scripted('c', accepted())]).send();
    expect([outcome, gateway]).toEqual(['accepted', 'c']);
    expect(tries.map((one) => [one.outcome, one.reason])).toEqual([
      ['unknown', 'no answer in time'],
      ['unknown', 'defect TypeError'],
      ['accepted', undefined],
    ]);
  });
});
