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
import { t } from '../texts.ts';
import { QuietButton } from '../../ui/quiet-button.tsx';

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
                  <QuietButton onClick={() => setWhole(true)}>{t.guard.showAll(formatNumber(all.length))}</QuietButton>
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

export function LiftButton({ block, text = t.guard.lift, onLifted }: LiftButtonProps) {
  const { operations } = useOperator();
  const name = nameOfBlock(block);
  return (
    <DelayedAction
      text={text}
      title={t.guard.liftOf(name)}
      action={t.guard.liftTheBlock}
      about={t.guard.liftAbout}
      waiting={(seconds) => t.guard.liftedIn(name, seconds)}
      done={t.guard.lifted(name)}
      work={(reason) => operations.liftBlock({ block: block.id, reason })}
      onDone={onLifted}
    />
  );
}
