/** What operators did, and who. */
import type { OperatorAction, OperatorActionFilter } from '../../../client/index.ts';
import { goTo, useFilter } from '../address.ts';
import { hrefOf, pickFilter } from '../hrefs.ts';
import { offerFile } from '../../data/offer-file.ts';
import { FilterForm, type FilterField } from '../filters.tsx';
import { useOperator } from '../operator.ts';
import { Complaint, Done, isStale, Loading, Older, pageSizeOf, Table, Time, ViewTitle } from '../parts.tsx';
import { useChange } from '../requests.ts';
import { t } from '../texts.ts';
import { usePagesById } from '../use-cursor-pages.ts';

const names = ['subject', 'action', 'userId', 'from', 'to'] as const;

export function AuditView() {
  const { operations } = useOperator();
  const filter = useFilter();
  const query: OperatorActionFilter = pickFilter(filter, names);
  const key = JSON.stringify(query);
  const actions = usePagesById<OperatorAction>(
    (before, count, options) => operations.actions({ ...query, before, count }, options),
    [operations, key],
    pageSizeOf(50, 20),
  );
  const { complaint, done, run } = useChange();
  const download = async () => offerFile(await (await operations.exportActions(query)).blob(), 'audit.csv');
  return (
    <div class={isStale(actions) ? 'view stale' : 'view'}>
      <ViewTitle title={t.common.audit} requests={[actions]}>
        <button type="button" class="quiet small" onClick={() => void run(download, t.audit.exported)}>
          {t.audit.export}
        </button>
      </ViewTitle>
      <Complaint text={complaint} />
      <Done text={done} />
      <FilterForm
        label={t.common.filter}
        fields={fieldsOf()}
        filter={filter}
        onSearch={(next) => goTo(hrefOf('audit', '', next))}
      />
      <section class="card panel" aria-label={t.audit.list}>
        {!actions.value && !actions.error && <Loading />}
        {actions.value?.length === 0 && <p class="soft">{key === '{}' ? t.audit.none : t.audit.noMatch}</p>}
        {actions.value && actions.value.length > 0 && (
          <Table
            columns={[t.common.when, t.audit.who, t.audit.action, t.audit.target, t.audit.detail, t.common.reason]}
            headingColumn={1}
            rows={actions.value.map((action) => ({ key: action.id, cells: cellsOf(action) }))}
          />
        )}
        <Older onClick={actions.showOlder} />
      </section>
    </div>
  );
}

const fieldsOf = (): FilterField[] => [
  { name: 'subject', label: t.audit.who, kind: 'text' },
  {
    name: 'action',
    label: t.audit.action,
    kind: 'choice',
    anyName: t.audit.everyAction,
    options: Object.entries(t.audit.actions),
  },
  { name: 'userId', label: t.common.user, kind: 'user' },
  { name: 'from', label: t.common.from, kind: 'time' },
  { name: 'to', label: t.common.to, kind: 'time' },
];

function cellsOf({ at, subject, client, action, target, detail, reason, userId }: OperatorAction) {
  return [
    <Time instant={at} />,
    <>
      {subject}
      {client !== subject && <span class="about">{client}</span>}
    </>,
    t.audit.actions[action] ?? action,
    userId === null ? target : <a href={hrefOf('customer', userId)}>{target}</a>,
    detail,
    reason,
  ];
}
