/** One customer: from a number or an id to the reason why a code failed. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { GuardDecision, RevealedPhones, UserTrail } from '../../../client/index.ts';
import { useAction } from '../../data/use-action.ts';
import { useResource } from '../../data/use-resource.ts';
import { Timeline, type TimelineStep } from '../../ui/timeline.tsx';
import { useAddress } from '../address.ts';
import { formatTime } from '../format.ts';
import { Content, Panel } from '../frame.tsx';
import { hrefOf } from '../hrefs.ts';
import { refreshSeconds, useOperator } from '../operator.ts';
import { ExactTime, Outcome, WriteButton } from '../parts.tsx';
import { t } from '../texts.ts';
import { LiftButton } from './blocks.tsx';
import { CustomerSearch } from './customer-search.tsx';
import { TransactionsPanel } from './customer-transactions.tsx';
import { stepsOf, verdictOf } from './explain.ts';
import { HeldNumber } from './held-number.tsx';
import { isAbout, useLiveMessages } from './use-live-messages.ts';

export function CustomerView() {
  const { part: userId } = useAddress();
  return (
    <>
      <CustomerSearch userId={userId} />
      {/^\d+$/.test(userId) && <Customer key={userId} userId={Number(userId)} />}
    </>
  );
}

function Customer({ userId }: { userId: number }) {
  const { operations } = useOperator();
  const often = { everySeconds: refreshSeconds };
  const trail = useResource([operations, userId], (options) => operations.trail(userId, options), often);
  const decisions = useResource(
    [operations, userId],
    (options) => operations.guardDecisions({ userId, count: 50 }, options),
    often,
  );
  const blocks = useResource([operations, userId], (options) => operations.guardBlocks(options), often);
  const heading = useRef<HTMLHeadingElement>(null);
  const block = blocks.value?.find(({ id }) => id === `user:${userId}`);
  const resources = [trail, decisions, blocks];
  useLiveMessages((event) => isAbout(event, userId) && resources.forEach(({ refreshSoon }) => refreshSoon()));

  function lifted(): void {
    heading.current!.focus();
    for (const { refresh } of resources) refresh();
  }

  return (
    <Content of={trail}>
      {(value) =>
        value.erasedAt !== null ? (
          <Panel title={t.customer.erased} isTitleUnseen>
            <p>{t.customer.erasedOn(formatTime(value.erasedAt))}</p>
          </Panel>
        ) : (
          <>
            <Verdict trail={value} isBlocked={block !== undefined} userId={userId} headingRef={heading}>
              {block && (
                <div class="phone-line">
                  <span>{t.customer.blockedUntil(formatTime(block.until))}</span>
                  <LiftButton block={block} text={t.guard.liftTheBlock} onLifted={lifted} />
                </div>
              )}
            </Verdict>
            <History trail={value} userId={userId} />
            <TransactionsPanel userId={userId} />
            {decisions.value && decisions.value.length > 0 && (
              <Panel title={t.customer.guardDecisions}>
                <Steps steps={decisions.value.map(decisionStep)} />
              </Panel>
            )}
          </>
        )
      }
    </Content>
  );
}

interface VerdictProps {
  trail: UserTrail;
  isBlocked: boolean;
  userId: number;
  headingRef: { current: HTMLHeadingElement | null };
  children: ComponentChildren;
}

function Verdict({ trail, isBlocked, userId, headingRef, children }: VerdictProps) {
  const verdict = verdictOf(trail, isBlocked);
  return (
    <Panel
      title={t.common.userNamed(String(userId))}
      headingRef={headingRef}
      class={`customer-verdict verdict-${verdict.tone}`}
    >
      <p class="verdict-sentence">{verdict.text}</p>
      <Phones userId={userId} masked={(trail.verified ?? trail.messages[0])?.phoneNumber} heading={headingRef} />
      {children}
    </Panel>
  );
}

const Steps = ({ steps }: { steps: readonly TimelineStep[] }) => (
  <Timeline steps={steps} timeOf={(instant) => <ExactTime instant={instant} />} />
);

function decisionStep({ at, action, operation, rule }: GuardDecision): TimelineStep {
  const isRefused = action === 'refused';
  const text = (isRefused ? t.customer.refusedBy : t.customer.shadowBy)(operation, rule);
  return { at, text, tone: isRefused ? 'bad' : 'plain' };
}

function History({ trail, userId }: { trail: UserTrail; userId: number }) {
  const steps = stepsOf(trail);
  return (
    <>
      <Panel title={t.customer.whatHappened}>
        {steps.length === 0 && <p class="soft">{t.customer.nothing}</p>}
        <Steps steps={steps} />
        {trail.messages.length > 0 && (
          <p class="older-entries">
            <a href={hrefOf('messages', '', { userId: String(userId) })}>{t.common.messages}</a>
          </p>
        )}
      </Panel>
      {trail.changes.length > 0 && (
        <Panel title={t.customer.numbers}>
          <Steps
            steps={trail.changes.map(({ changedAt, previousPhoneNumber, phoneNumber }) => ({
              at: changedAt,
              text: t.customer.changedFrom(previousPhoneNumber, phoneNumber),
              tone: 'plain',
            }))}
          />
        </Panel>
      )}
    </>
  );
}

const phoneOr = (phone: string | null) => phone ?? t.customer.none;

interface PhonesProps {
  userId: number;
  masked: string | undefined;
  heading: { current: HTMLHeadingElement | null };
}

/** The number is masked until an operator reveals it, which the audit records. */
function Phones({ userId, masked, heading }: PhonesProps) {
  const { operations } = useOperator();
  const [phones, setPhones] = useState<RevealedPhones>();
  const revealing = useAction();

  async function reveal(): Promise<void> {
    await revealing.run(async () => {
      setPhones(await operations.revealPhone(userId));
      heading.current!.focus();
    }, t.customer.revealed);
  }

  return (
    <>
      <p class="phone-line">
        {phones ? (
          <>
            <span>{t.customer.verifiedPhone(phoneOr(phones.verifiedPhone))}</span>
            <span>{t.customer.lastSentPhone(phoneOr(phones.lastSentPhone))}</span>
            {phones.verifiedPhone && (
              <HeldNumber
                held={{ ...phones, userId, phoneNumber: phones.verifiedPhone }}
                onFreed={() => {
                  setPhones(undefined);
                  heading.current!.focus();
                }}
              />
            )}
          </>
        ) : (
          <>
            {masked && <span>{masked}</span>}
            <WriteButton onClick={reveal}>{t.customer.reveal}</WriteButton>
            <span class="soft">{t.customer.revealAbout}</span>
          </>
        )}
      </p>
      <Outcome of={revealing} />
    </>
  );
}
