/** The settings of the service, read-only and without secrets: by owner, those that are not at their default first. */
import type { ServiceSetting } from '../../../client/index.ts';
import { useResource } from '../../data/use-resource.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { FilterBar, type FilterField } from '../../ui/filter-bar.tsx';
import { goTo, useFilter } from '../address.ts';
import { formatNumber, formatTime } from '../format.ts';
import { Content, Panel } from '../frame.tsx';
import { hrefOf } from '../hrefs.ts';
import { useOperator } from '../operator.ts';
import { withCode } from '../parts.tsx';
import { filterTexts } from '../filter-texts.ts';

const groupNames: Readonly<Record<string, string>> = {
  server: 'Server',
  installation: 'Installation',
  database: 'Database',
  tokens: 'Tokens',
  gateways: 'Gateways',
  messages: 'Messages',
  codes: 'Codes',
  guard: 'Guard',
  privacy: 'Privacy',
  events: 'Events',
  observability: 'Observability',
};

const fields: readonly FilterField[] = [
  { name: 'search', label: 'Name or meaning', kind: 'text' },
  { name: 'set', label: 'Which', kind: 'choice', options: [['changed', 'Only those that differ from the default']] },
];

export function SettingsView() {
  const { operations } = useOperator();
  const filter = useFilter();
  const request = useResource([operations], (options) => operations.settings(options));
  return (
    <>
      <p class="soft lead-text">
        The settings with which this process was started. They are changed in its environment. For a secret, it is only
        shown whether it is set. {request.value && `Version ${request.value.version}, ${request.value.mode}`}
      </p>
      <FilterBar
        label="Filter"
        fields={fields}
        filter={filter}
        texts={filterTexts}
        formatTime={formatTime}
        onChange={(next, isTyping) => goTo(hrefOf('settings', '', next), isTyping)}
      />
      <Content of={request}>
        {({ settings }) => (
          <Groups settings={settings.filter((each) => isWanted(each, filter.search, filter.set === 'changed'))} />
        )}
      </Content>
    </>
  );
}

/** A secret has no default. */
const isChanged = ({ isSet, isSecret, value, default: fallback }: ServiceSetting) =>
  isSet && (isSecret || value !== fallback);

function isWanted(setting: ServiceSetting, search = '', onlyChanged: boolean): boolean {
  const words = search.toLowerCase().split(/\s+/);
  const text = `${setting.name} ${setting.about}`.toLowerCase();
  return (!onlyChanged || isChanged(setting)) && words.every((word) => text.includes(word));
}

function Groups({ settings }: { settings: ServiceSetting[] }) {
  if (settings.length === 0) return <p class="soft">There are no such settings.</p>;
  const groups = [...new Set(settings.map(({ group }) => group))];
  return (
    <>
      {groups.map((group) => (
        <Group key={group} group={group} settings={settings.filter((setting) => setting.group === group)} />
      ))}
    </>
  );
}

function Group({ group, settings }: { group: string; settings: ServiceSetting[] }) {
  const changed = settings.filter(isChanged);
  const rows = [...changed, ...settings.filter((setting) => !isChanged(setting))];
  return (
    <Panel
      title={groupNames[group] ?? group}
      actions={changed.length > 0 && <p class="updated-at">{formatNumber(changed.length)} changed</p>}
    >
      <div class="setting-table">
        <DataTable
          columns={['Setting', 'Value']}
          rows={rows.map((setting) => ({ key: setting.name, cells: cellsOf(setting) }))}
        />
      </div>
    </Panel>
  );
}

function cellsOf(setting: ServiceSetting) {
  const { name, about, isSecret, isSet, value, default: fallback } = setting;
  return [
    <>
      <span class="setting-name">{name}</span>
      <span class="small-print">{withCode(about)}</span>
    </>,
    <>
      {isSet && !isSecret && <code dir="ltr">{value}</code>}
      {isSet && isSecret && <span class="state-mark is-good">Set</span>}
      {!isSet && <span class="soft">Not set</span>}
      {!isSecret && (!isSet || isChanged(setting)) && <span class="small-print">default: {fallback}</span>}
    </>,
  ];
}
