/** The settings of the service, read-only and without secrets. */
import type { ServiceSetting } from '../../../client/index.ts';
import { goTo, useFilter } from '../address.ts';
import { hrefOf } from '../hrefs.ts';
import { FilterForm } from '../filters.tsx';
import { useOperator } from '../operator.ts';
import { isStale, Loading, Table, ViewTitle } from '../parts.tsx';
import { useRequest } from '../requests.ts';
import { t } from '../texts.ts';

export function SettingsView() {
  const { operations } = useOperator();
  const filter = useFilter();
  const request = useRequest((options) => operations.settings(options), [operations]);
  const { value } = request;
  const shown = value?.settings.filter((setting) => isWanted(setting, filter.search, filter.set === 'yes')) ?? [];
  const groups = [...new Set(shown.map(({ group }) => group))];
  return (
    <div class={isStale(request) ? 'view stale' : 'view'}>
      <ViewTitle title={t.common.settings} requests={[request]} />
      <p class="soft lead">{t.settings.lead}</p>
      <FilterForm
        label={t.common.filter}
        filter={filter}
        fields={[
          { name: 'search', label: t.settings.search, kind: 'text' },
          {
            name: 'set',
            label: t.common.filter,
            kind: 'choice',
            anyName: t.common.all,
            options: [['yes', t.settings.onlySet]],
          },
        ]}
        onSearch={(next) => goTo(hrefOf('settings', '', next))}
      />
      {!value && !request.error && <Loading />}
      {value && <p class="soft">{t.settings.version(value.version, value.mode)}</p>}
      {value && shown.length === 0 && <p class="soft">{t.settings.none}</p>}
      {groups.map((group) => (
        <Group key={group} group={group} settings={shown.filter((setting) => setting.group === group)} />
      ))}
    </div>
  );
}

function isWanted({ name, about, isSet }: ServiceSetting, search = '', onlySet: boolean): boolean {
  const words = search.toLowerCase().split(/\s+/);
  const text = `${name} ${about}`.toLowerCase();
  return (!onlySet || isSet) && words.every((word) => text.includes(word));
}

function Group({ group, settings }: { group: string; settings: ServiceSetting[] }) {
  const id = `settings-${group}`;
  return (
    <section class="card panel" aria-labelledby={id}>
      <h2 id={id}>{(t.settings.groups as Record<string, string>)[group] ?? group}</h2>
      <Table
        columns={[t.settings.name, t.settings.value]}
        rows={settings.map((setting) => ({ key: setting.name, cells: cellsOf(setting) }))}
      />
    </section>
  );
}

function cellsOf({ name, about, isSecret, isSet, value, default: fallback }: ServiceSetting) {
  return [
    <>
      <span class="setting-name">{name}</span>
      <span class="about">{about}</span>
    </>,
    <>
      {isSet && !isSecret && <code dir="ltr">{value}</code>}
      {isSet && isSecret && <span class="mark">{t.settings.set}</span>}
      {!isSet && (
        <>
          <span class="soft">{t.settings.notSet}</span>
          {!isSecret && <span class="about">{t.settings.defaultValue(fallback)}</span>}
        </>
      )}
    </>,
  ];
}
