/** What operators did, and who. */
import type { OperatorAction } from '../../client/index.ts';
import { useOperator } from './operator.ts';
import { isStale, Loading, Older, pageSizeOf, Table, Time, ViewTitle } from './parts.tsx';
import { useRequestedPages } from './requests.ts';

const actionNames: Record<OperatorAction['action'], string> = {
  'set-mode': 'Changed the mode',
  lift: 'Lifted a block',
  'add-safe': 'Added to the safe list',
  'remove-safe': 'Removed from the safe list',
  'reveal-phone': 'Revealed the number',
  'find-users': 'Searched for a number',
  'erase-user': 'Erased the user',
  'read-user-data': 'Read all data of the user',
  'list-transactions': 'Read the transactions',
};

export function AuditView() {
  const { desk } = useOperator();
  const actions = useRequestedPages((before, count) => desk.actions({ before, count }), [desk], pageSizeOf(50, 20));
  return (
    <div class={isStale(actions) ? 'view stale' : 'view'}>
      <ViewTitle title="Audit" requests={[actions]} />
      <section class="card panel" aria-label="What operators did">
        {!actions.value && !actions.error && <Loading />}
        {actions.value?.length === 0 && <p class="soft">No operator has done anything yet.</p>}
        {actions.value && actions.value.length > 0 && (
          <Table
            columns={['When', 'Who', 'Action', 'Target', 'Detail', 'Reason']}
            headingColumn={1}
            rows={actions.value.map((action) => ({ key: action.id, cells: cellsOf(action) }))}
          />
        )}
        <Older onClick={actions.showOlder} />
      </section>
    </div>
  );
}

function cellsOf({ at, subject, client, action, target, detail, reason, userId }: OperatorAction) {
  return [
    <Time instant={at} />,
    <>
      {subject}
      {client !== subject && <span class="about">{client}</span>}
    </>,
    actionNames[action] ?? action,
    userId === null ? target : <a href={`#customer/${userId}`}>{target}</a>,
    detail,
    reason,
  ];
}
