/** What operators did, and who. */
import type { OperatorAction, OperatorFunctions } from '../../client/index.ts';
import { useAskedPages } from './ask.ts';
import { at, Complaint, Loading, Older, Table } from './parts.tsx';

const inWords: Record<OperatorAction['action'], string> = {
  'set-mode': 'Changed the mode',
  lift: 'Lifted a block',
  'add-safe': 'Put on the safe list',
  'remove-safe': 'Took off the safe list',
  'reveal-phone': 'Revealed the number',
  'find-users': 'Looked for a number',
  'erase-user': 'Erased the user',
  'read-user-data': 'Read all data of the user',
};

export function AuditView({ desk }: { desk: OperatorFunctions }) {
  const actions = useAskedPages((before, count) => desk.actions({ before, count }), [desk]);
  return (
    <>
      <header class="view-title">
        <h1>Audit</h1>
      </header>
      <Complaint text={actions.error} />
      <section class="card panel" aria-label="What operators did">
        {!actions.value && !actions.error && <Loading />}
        {actions.value?.length === 0 && <p class="soft">No operator has done anything yet.</p>}
        {actions.value && actions.value.length > 0 && (
          <Table
            columns={['When', 'Who', 'Did', 'To', 'Detail']}
            headed={1}
            rows={actions.value.map(({ id, at: when, subject, client, action, target, detail, userId }) => ({
              key: id,
              cells: [
                at(when),
                <>
                  {subject}
                  {client !== subject && <span class="about">{client}</span>}
                </>,
                inWords[action] ?? action,
                userId === null ? target : <a href={`#customer/${userId}`}>{target}</a>,
                detail ?? '–',
              ],
            }))}
          />
        )}
        <Older onClick={actions.older} />
      </section>
    </>
  );
}
