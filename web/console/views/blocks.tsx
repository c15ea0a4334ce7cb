/** The current blocks, and the control that lifts one. */
import { useRef, useState } from 'preact/hooks';
import type { GuardBlock } from '../../../client/index.ts';
import type { Resource } from '../../data/use-resource.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { DelayedAction } from '../delayed-action.tsx';
import { formatNumber } from '../format.ts';
import { Content, Panel } from '../frame.tsx';
import { hrefOf } from '../hrefs.ts';
import { useOperator } from '../operator.ts';
import { pageSizeOf, Time } from '../parts.tsx';
import { QuietButton } from '../../ui/quiet-button.tsx';

const nameOfBlock = ({ id, subject }: GuardBlock) => (id.startsWith('user:') ? `user ${subject}` : subject);

export function BlocksPanel({ blocks }: { blocks: Resource<GuardBlock[]> }) {
  const [isWhole, setWhole] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  function lifted(): void {
    heading.current!.focus();
    blocks.refresh();
  }
  return (
    <Panel title="Blocked now" headingRef={heading}>
      <Content of={blocks} none="Nobody is blocked.">
        {(all) => {
          const shown = isWhole ? all : all.slice(0, pageSizeOf(20, 5));
          return (
            <>
              <DataTable
                columns={['Who', 'Rule', 'Until', 'Action']}
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
                  <QuietButton onClick={() => setWhole(true)}>Show all {formatNumber(all.length)}</QuietButton>
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
      {id.startsWith('user:') ? <a href={hrefOf('customer', subject)}>User {subject}</a> : subject}
      {userIds && (
        <span class="small-print">
          for{' '}
          {userIds.map((user) => (
            <a key={user} class="user-link" href={hrefOf('customer', user)}>
              {`user ${user}`}
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

export function LiftButton({ block, text = 'Lift', onLifted }: LiftButtonProps) {
  const { operations } = useOperator();
  const name = nameOfBlock(block);
  return (
    <DelayedAction
      text={text}
      title={`Lift the block of ${name}`}
      action="Lift the block"
      about="Its counters are reset too. This cannot be undone later."
      waiting={(seconds) => `The block of ${name} is lifted in ${seconds} seconds.`}
      done={`The block of ${name} is lifted.`}
      work={(reason) => operations.liftBlock({ block: block.id, reason })}
      onDone={onLifted}
    />
  );
}
