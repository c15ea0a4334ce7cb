/** The current blocks, and the control that lifts one. */
import { useRef, useState } from 'preact/hooks';
import type { GuardBlock } from '../../../client/index.ts';
import { useAction } from '../../data/use-action.ts';
import type { Resource } from '../../data/use-resource.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Confirm } from '../confirm-dialog.tsx';
import { formatNumber } from '../format.ts';
import { Content, Panel } from '../frame.tsx';
import { hrefOf } from '../hrefs.ts';
import { useOperator } from '../operator.ts';
import { Outcome, pageSizeOf, Time } from '../parts.tsx';
import { t } from '../texts.ts';
import { delaySeconds, UndoNotice, useDelayed, useNotice } from '../undo.tsx';

const nameOfBlock = ({ id, subject }: GuardBlock) => (id.startsWith('user:') ? t.guard.userLower(subject) : subject);

export function BlocksPanel({ blocks }: { blocks: Resource<GuardBlock[]> }) {
  const [isWhole, setWhole] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  function lifted(): void {
    heading.current!.focus();
    blocks.refresh();
  }
  return (
    <Panel title={t.guard.blocked} headingRef={heading}>
      <Content of={blocks} none={t.guard.nobodyBlocked}>
        {(all) => {
          const shown = isWhole ? all : all.slice(0, pageSizeOf(20, 5));
          return (
            <>
              <DataTable
                columns={[t.guard.who, t.common.rule, t.guard.until, t.guard.action]}
                hasControl
                rows={shown.map((block) => ({
                  key: block.id,
                  cells: [
                    <BlockedSubject block={block} />,
                    block.rule,
                    <Time instant={block.until} />,
                    <LiftButton block={block} onLifted={lifted} />,
                  ],
                }))}
              />
              {shown.length < all.length && (
                <p class="older-entries">
                  <button type="button" class="quiet small" onClick={() => setWhole(true)}>
                    {t.guard.showAll(formatNumber(all.length))}
                  </button>
                </p>
              )}
            </>
          );
        }}
      </Content>
    </Panel>
  );
}

function BlockedSubject({ block: { id, subject, userIds } }: { block: GuardBlock }) {
  return (
    <>
      {id.startsWith('user:') ? <a href={hrefOf('customer', subject)}>{t.common.userNamed(subject)}</a> : subject}
      {userIds && (
        <span class="small-print">
          {t.guard.forUsers}{' '}
          {userIds.map((user) => (
            <a key={user} class="user-link" href={hrefOf('customer', user)}>
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
  const lifting = useAction();
  const [isAsking, setAsking] = useState(false);
  const [notice, setNotice] = useNotice();
  const delayed = useDelayed();
  const name = nameOfBlock(block);

  async function lift(reason: string): Promise<void> {
    setNotice(undefined);
    if (await lifting.run(() => operations.liftBlock({ block: block.id, reason }), t.guard.lifted(name))) onLifted();
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
        disabled={!mayWrite || notice !== undefined || lifting.isRunning}
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
      <Outcome of={lifting} />
    </>
  );
}
