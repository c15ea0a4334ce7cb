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
import { QuietButton } from '../../ui/quiet-button.tsx';

const actionNames = {
  'set-mode': 'Changed the mode',
  lift: 'Lifted a block',
  'add-safe': 'Added to the safe list',
  'remove-safe': 'Removed from the safe list',
  'reveal-phone': 'Revealed the number',
  'find-users': 'Searched for a number or e-mail',
  'erase-user': 'Erased the user',
  'read-user-data': 'Read all data of the user',
  'list-transactions': 'Read the transactions',
  'free-phone': 'Freed the number',
  'export-erased': 'Exported retained transactions',
  'run-retention': 'Removed expired data',
  'create-webhook-endpoint': 'Created a webhook endpoint',
  'update-webhook-endpoint': 'Changed a webhook endpoint',
  'enable-webhook-endpoint': 'Enabled a webhook endpoint',
  'disable-webhook-endpoint': 'Disabled a webhook endpoint',
  'delete-webhook-endpoint': 'Deleted a webhook endpoint',
  'rotate-webhook-secret': 'Changed the secret of a webhook endpoint',
  'replay-webhook-events': 'Sent events again',
};

const fields: readonly FilterField[] = [
  { name: 'subject', label: 'Who', kind: 'text' },
  {
    name: 'action',
    label: 'Action',
    kind: 'choice',
    anyName: 'Every action',
    options: Object.entries(actionNames),
  },
  { name: 'userId', label: 'User', kind: 'digits' },
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
        title="What operators did"
        fields={fields}
        log={log}
        pages={pages}
        none={log.key === '{}' ? 'No operator has done anything yet.' : 'There are no such actions.'}
        columns={['When', 'Who', 'Action', 'Target', 'Detail', 'Reason']}
        headingColumn={1}
        rowOf={(action) => ({ id: action.id, at: action.at, cells: cellsOf(action) })}
        detailTitle={(id) => `Action ${id}`}
        detail={detailOf((action) => (
          <ActionFacts action={action} />
        ))}
        actions={
          <QuietButton
            aria-disabled={exporting.isRunning}
            onClick={() => void exporting.run(download, 'The file is ready.')}
          >
            Export (CSV)
          </QuietButton>
        }
      />
    </>
  );
}

const nameOf = ({ action }: OperatorAction) => actionNames[action] ?? action;

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
        ['Action', nameOf(action)],
        ['When', <ExactTime instant={action.at} />],
        ['Who', action.subject],
        ['Client', action.client],
        ['Target', targetOf(action)],
        ['Detail', action.detail],
        ['Reason', action.reason],
      ]}
    />
  );
}
