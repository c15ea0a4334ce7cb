/** What operators did, and who. */
import type { OperatorAction } from '../../../client/index.ts';
import { offerFile } from '../../data/offer-file.ts';
import { useAction } from '../../data/use-action.ts';
import { Facts } from '../../ui/facts.tsx';
import type { FilterField } from '../../ui/filter-bar.tsx';
import { hrefOf } from '../hrefs.ts';
import { LogView, useLogById } from '../log-view.tsx';
import { useOperator } from '../operator.ts';
import { ExactTime, Outcome, Time } from '../parts.tsx';
import { t } from '../texts.ts';
import { QuietButton } from '../../ui/quiet-button.tsx';

const fields: readonly FilterField[] = [
  { name: 'subject', label: t.audit.who, kind: 'text' },
  {
    name: 'action',
    label: t.audit.action,
    kind: 'choice',
    anyName: t.audit.everyAction,
    options: Object.entries(t.audit.actions),
  },
  { name: 'userId', label: t.common.user, kind: 'digits' },
];

export function AuditView() {
  const { operations } = useOperator();
  const { log, pages, detailOf } = useLogById<OperatorAction>(fields, (query, options) =>
    operations.actions(query, options),
  );
  const exporting = useAction();
  const download = async () => offerFile(await (await operations.exportActions(log.query())).blob(), 'audit.csv');
  return (
    <>
      <Outcome of={exporting} />
      <LogView
        view="audit"
        title={t.audit.list}
        fields={fields}
        log={log}
        pages={pages}
        none={log.key === '{}' ? t.audit.none : t.audit.noMatch}
        columns={[t.common.when, t.audit.who, t.audit.action, t.audit.target, t.audit.detail, t.common.reason]}
        headingColumn={1}
        rowOf={(action) => ({ id: action.id, at: action.at, cells: cellsOf(action) })}
        detailTitle={t.audit.entry}
        detail={detailOf((action) => (
          <ActionFacts action={action} />
        ))}
        actions={
          <QuietButton
            aria-disabled={exporting.isRunning}
            onClick={() => void exporting.run(download, t.audit.exported)}
          >
            {t.audit.export}
          </QuietButton>
        }
      />
    </>
  );
}

const nameOf = ({ action }: OperatorAction) => t.audit.actions[action] ?? action;

function targetOf({ target, userId }: OperatorAction) {
  return userId === null ? target : <a href={hrefOf('customer', userId)}>{target}</a>;
}

function cellsOf(action: OperatorAction) {
  const { at, subject, client, detail, reason } = action;
  return [
    <Time instant={at} />,
    <>
      {subject} {client !== subject && <span class="small-print">{client}</span>}
    </>,
    nameOf(action),
    targetOf(action),
    detail,
    reason,
  ];
}

function ActionFacts({ action }: { action: OperatorAction }) {
  return (
    <Facts
      facts={[
        [t.audit.action, nameOf(action)],
        [t.common.when, <ExactTime instant={action.at} />],
        [t.audit.who, action.subject],
        [t.audit.client, action.client],
        [t.audit.target, targetOf(action)],
        [t.audit.detail, action.detail],
        [t.common.reason, action.reason],
      ]}
    />
  );
}
