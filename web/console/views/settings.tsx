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
import { t } from '../texts.ts';

const fields: readonly FilterField[] = [
  { name: 'search', label: t.settings.search, kind: 'text' },
  { name: 'set', label: t.settings.which, kind: 'choice', options: [['changed', t.settings.onlyChanged]] },
];

export function SettingsView() {
  const { operations } = useOperator();
  const filter = useFilter();
  const request = useResource([operations], (options) => operations.settings(options));
  return (
    <>
      <p class="soft lead-text">
        {t.settings.lead} {request.value && t.settings.version(request.value.version, request.value.mode)}
      </p>
      <FilterBar
        label={t.common.filter}
        fields={fields}
        filter={filter}
        texts={t.filters}
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
  if (settings.length === 0) return <p class="soft">{t.settings.none}</p>;
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
      title={(t.settings.groups as Record<string, string>)[group] ?? group}
      actions={changed.length > 0 && <p class="updated-at">{t.settings.changedCount(formatNumber(changed.length))}</p>}
    >
      <div class="setting-table">
        <DataTable
          columns={[t.settings.name, t.settings.value]}
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
      {isSet && isSecret && <span class="state-mark is-good">{t.settings.set}</span>}
      {!isSet && <span class="soft">{t.settings.notSet}</span>}
      {!isSecret && (!isSet || isChanged(setting)) && (
        <span class="small-print">{t.settings.defaultValue(fallback)}</span>
      )}
    </>,
  ];
}
