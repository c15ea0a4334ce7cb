/** The current blocks, and the control that lifts one. */
import { useRef, useState } from 'preact/hooks';
import type { GuardBlock } from '../../../client/index.ts';
import { hrefOf } from '../hrefs.ts';
import { Confirm } from '../confirm-dialog.tsx';
import { formatNumber } from '../format.ts';
import { useOperator } from '../operator.ts';
import { Complaint, Done, Loading, pageSizeOf, PanelHeading, Table, Time } from '../parts.tsx';
import { useChange, type Requested } from '../requests.ts';
import { t } from '../texts.ts';
import { delaySeconds, UndoNotice, useDelayed, useNotice } from '../undo.tsx';

const nameOfBlock = ({ id, subject }: GuardBlock) => (id.startsWith('user:') ? t.guard.userLower(subject) : subject);

export function BlocksPanel({ blocks }: { blocks: Requested<GuardBlock[]> }) {
  const [isWhole, setWhole] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = isWhole ? blocks.value : blocks.value?.slice(0, pageSizeOf(20, 5));
  return (
    <section class="card panel" aria-labelledby="blocks">
      <PanelHeading id="blocks" headingRef={heading}>
        {t.guard.blocked}
      </PanelHeading>
      {!blocks.value && !blocks.error && <Loading />}
      {blocks.value?.length === 0 && <p class="soft">{t.guard.nobodyBlocked}</p>}
      {shown && shown.length > 0 && (
        <Table
          columns={[t.guard.who, t.common.rule, t.guard.until, t.guard.action]}
          hasControl
          rows={shown.map((block) => ({
            key: block.id,
            cells: [
              <BlockedSubject block={block} />,
              block.rule,
              <Time instant={block.until} />,
              <LiftButton
                block={block}
                onLifted={() => {
                  heading.current!.focus();
                  blocks.refresh();
                }}
              />,
            ],
          }))}
        />
      )}
      {shown && shown.length < blocks.value!.length && (
        <p class="older">
          <button type="button" class="quiet small" onClick={() => setWhole(true)}>
            {t.guard.showAll(formatNumber(blocks.value!.length))}
          </button>
        </p>
      )}
    </section>
  );
}

function BlockedSubject({ block: { id, subject, userIds } }: { block: GuardBlock }) {
  return (
    <>
      {id.startsWith('user:') ? <a href={hrefOf('customer', subject)}>{t.common.userNamed(subject)}</a> : subject}
      {userIds && (
        <span class="about">
          {t.guard.forUsers}{' '}
          {userIds.map((user) => (
            <a key={user} class="pick" href={hrefOf('customer', user)}>
              {t.guard.userLower(String(user))}
            </a>
          ))}
        </span>
      )}
    </>
  );
}

interface LiftButtonProps {
  block: GuardBlock;
  text?: string;
  onLifted(): void;
}

/** Asks for a reason, then waits a few seconds in which the lift can be undone. */
export function LiftButton({ block, text = t.guard.lift, onLifted }: LiftButtonProps) {
  const { operations, mayWrite } = useOperator();
  const { complaint, done, isRunning, run } = useChange();
  const [isAsking, setAsking] = useState(false);
  const [notice, setNotice] = useNotice();
  const delayed = useDelayed();
  const name = nameOfBlock(block);

  async function lift(reason: string): Promise<void> {
    setNotice(undefined);
    if (await run(() => operations.liftBlock({ block: block.id, reason }), t.guard.lifted(name))) onLifted();
  }

  function confirm(reason: string): void {
    setAsking(false);
    delayed.start(() => void lift(reason));
    setNotice({
      text: t.guard.liftedIn(name, formatNumber(delaySeconds)),
      undo() {
        delayed.cancel();
        setNotice(undefined);
      },
    });
  }

  return (
    <>
      <button
        type="button"
        class="quiet small"
        aria-label={t.guard.liftOf(name)}
        disabled={!mayWrite || notice !== undefined || isRunning}
        title={mayWrite ? undefined : t.common.readOnlyHint}
        onClick={() => setAsking(true)}
      >
        {text}
      </button>
      {isAsking && (
        <Confirm
          title={t.guard.liftOf(name)}
          action={t.guard.liftTheBlock}
          onConfirm={confirm}
          onCancel={() => setAsking(false)}
        >
          <p>{t.guard.liftAbout}</p>
        </Confirm>
      )}
      <UndoNotice notice={notice} />
      <Complaint text={complaint} />
      <Done text={done} />
    </>
  );
}
