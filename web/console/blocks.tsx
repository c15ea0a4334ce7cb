/** Who is blocked now, and how a block is lifted. */
import { useRef, useState } from 'preact/hooks';
import type { GuardBlock } from '../../client/index.ts';
import { Confirm } from './confirm.tsx';
import { readOnlyHint, useOperator } from './operator.ts';
import { Complaint, Done, Loading, pageSizeOf, PanelHeading, Table, Time } from './parts.tsx';
import { useChange, type Requested } from './requests.ts';
import { delaySeconds, UndoNotice, useDelayed, useNotice } from './undo.tsx';

export const nameOfBlock = ({ id, subject }: GuardBlock) => (id.startsWith('user:') ? `user ${subject}` : subject);

export function BlocksPanel({ blocks }: { blocks: Requested<GuardBlock[]> }) {
  const [isWhole, setWhole] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = isWhole ? blocks.value : blocks.value?.slice(0, pageSizeOf(20, 5));
  return (
    <section class="card panel" aria-labelledby="blocks">
      <PanelHeading id="blocks" headingRef={heading}>
        Blocked now
      </PanelHeading>
      {!blocks.value && !blocks.error && <Loading />}
      {blocks.value?.length === 0 && <p class="soft">Nobody is blocked.</p>}
      {shown && shown.length > 0 && (
        <Table
          columns={['Who', 'Rule', 'Until', 'Action']}
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
            Show all {blocks.value!.length}
          </button>
        </p>
      )}
    </section>
  );
}

function BlockedSubject({ block: { id, subject, userIds } }: { block: GuardBlock }) {
  return (
    <>
      {id.startsWith('user:') ? <a href={`#customer/${subject}`}>User {subject}</a> : subject}
      {userIds && (
        <span class="about">
          for{' '}
          {userIds.map((user) => (
            <a key={user} class="pick" href={`#customer/${user}`}>
              user {user}
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

/** Asks for a reason, then waits a few seconds in which the lift can be taken back. */
export function LiftButton({ block, text = 'Lift', onLifted }: LiftButtonProps) {
  const { desk, mayWrite } = useOperator();
  const { complaint, done, run } = useChange();
  const [isAsking, setAsking] = useState(false);
  const [notice, setNotice] = useNotice();
  const delayed = useDelayed();
  const name = nameOfBlock(block);

  async function lift(reason: string): Promise<void> {
    setNotice(undefined);
    if (await run(desk.liftBlock({ block: block.id, reason }), `The block of ${name} is lifted.`)) onLifted();
  }

  function confirm(reason: string): void {
    setAsking(false);
    delayed.start(() => void lift(reason));
    setNotice({
      text: `The block of ${name} is lifted in ${delaySeconds} seconds.`,
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
        aria-label={`Lift the block of ${name}`}
        disabled={!mayWrite || notice !== undefined}
        title={mayWrite ? undefined : readOnlyHint}
        onClick={() => setAsking(true)}
      >
        {text}
      </button>
      {isAsking && (
        <Confirm
          title={`Lift the block of ${name}`}
          action="Lift the block"
          onConfirm={confirm}
          onCancel={() => setAsking(false)}
        >
          <p>Everything that was counted against it is forgotten too. This cannot be undone later.</p>
        </Confirm>
      )}
      <UndoNotice notice={notice} />
      <Complaint text={complaint} />
      <Done text={done} />
    </>
  );
}
