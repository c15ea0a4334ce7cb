/** Webhook endpoints: their health, their deliveries, and what a person may change. */
import { useRef, useState } from 'preact/hooks';
import type { EventType, OperatorWebhookEndpoint } from '../../../client/index.ts';
import { goTo, useAddress } from '../address.ts';
import { hrefOf } from '../hrefs.ts';
import { DeliveriesPanel } from './deliveries.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { formatNumber } from '../format.ts';
import { useOperator } from '../operator.ts';
import { Complaint, Done, isStale, Loading, PanelHeading, Table, Time, ViewTitle } from '../parts.tsx';
import { refreshSeconds, useChange, useRequest } from '../requests.ts';
import { Secret } from '../secret.tsx';
import { t } from '../texts.ts';

/** The service counts only up to this number. */
const countedDeliveries = 1000;

export function WebhooksView() {
  const { operations } = useOperator();
  const chosen = Number(useAddress().part);
  const endpoints = useRequest((options) => operations.webhookEndpoints(options), [operations], refreshSeconds);
  const endpoint = endpoints.value?.find(({ id }) => id === chosen);
  const heading = useRef<HTMLHeadingElement>(null);

  return (
    <div class={isStale(endpoints) ? 'view stale' : 'view'}>
      <ViewTitle title={t.common.webhooks} requests={[endpoints]} />
      <section class="card panel" aria-labelledby="endpoints">
        <PanelHeading id="endpoints" headingRef={heading}>
          {t.webhooks.endpoints}
        </PanelHeading>
        {!endpoints.value && !endpoints.error && <Loading />}
        {endpoints.value?.length === 0 && <p class="soft">{t.webhooks.none}</p>}
        {endpoints.value && endpoints.value.length > 0 && (
          <Table
            columns={[t.webhooks.endpoint, t.webhooks.types, t.webhooks.health, t.webhooks.waiting]}
            rows={endpoints.value.map((each) => ({ key: each.id, cells: cellsOf(each, each.id === chosen) }))}
          />
        )}
        <AddEndpoint onAdded={endpoints.refresh} />
      </section>
      {endpoint && (
        <>
          <EndpointActions
            key={endpoint.id}
            endpoint={endpoint}
            onChanged={endpoints.refresh}
            onRemoved={() => {
              goTo(hrefOf('webhooks'));
              heading.current!.focus();
              endpoints.refresh();
            }}
          />
          <DeliveriesPanel key={`deliveries ${endpoint.id}`} endpointId={endpoint.id} />
        </>
      )}
    </div>
  );
}

function cellsOf(endpoint: OperatorWebhookEndpoint, isChosen: boolean) {
  const { id, url, description, types, due, oldestDueAt } = endpoint;
  return [
    <>
      <a href={hrefOf('webhooks', id)} aria-current={isChosen ? 'true' : undefined}>
        {url}
      </a>
      <span class="about">{description ? `${id}: ${description}` : id}</span>
    </>,
    types.length === 0 ? t.webhooks.allTypes : types.join(', '),
    <Health endpoint={endpoint} />,
    due === 0 ? null : (
      <>
        {due >= countedDeliveries ? t.webhooks.orMore(formatNumber(countedDeliveries)) : formatNumber(due)}
        {oldestDueAt !== null && (
          <span class="about">
            {t.webhooks.since} <Time instant={oldestDueAt} />
          </span>
        )}
      </>
    ),
  ];
}

function Health({ endpoint: { enabled, disabledReason, failingSince } }: { endpoint: OperatorWebhookEndpoint }) {
  if (!enabled) {
    return (
      <>
        <span class="mark open">{t.webhooks.disabled}</span>
        <span class="about">
          {(t.webhooks.disabledReasons as Record<string, string>)[disabledReason ?? ''] ?? disabledReason}
        </span>
      </>
    );
  }
  if (failingSince === null) return <span class="mark">{t.webhooks.healthy}</span>;
  return (
    <>
      <span class="mark probing">{t.webhooks.failing}</span>
      <span class="about">
        {t.webhooks.since} <Time instant={failingSince} />
      </span>
    </>
  );
}

function AddEndpoint({ onAdded }: { onAdded(): void }) {
  const { webhooks, mayWriteEvents } = useOperator();
  const { complaint, done, isRunning, run } = useChange();
  const [secret, setSecret] = useState<string>();

  async function add(event: Event): Promise<void> {
    event.preventDefault();
    const element = event.currentTarget as HTMLFormElement;
    const form = new FormData(element);
    const text = (name: string) => String(form.get(name)).trim();
    const types = text('types')
      .split(/[\s,]+/)
      .filter((type): type is EventType => type !== '');
    await run(async () => {
      setSecret(undefined);
      const added = await webhooks.create({
        url: text('url'),
        types,
        ...(text('description') && { description: text('description') }),
      });
      setSecret(added.secret);
      element.reset();
      onAdded();
    }, t.webhooks.isAdded);
  }

  return (
    <>
      <form class="find long add-endpoint" onSubmit={add} aria-label={t.webhooks.form}>
        <label>
          {t.webhooks.url}
          <input name="url" type="url" required maxLength={2048} placeholder="https://example.com/hooks" />
        </label>
        <label>
          {t.webhooks.types}
          <input name="types" placeholder={t.webhooks.typesExample} autoComplete="off" />
        </label>
        <label>
          {t.webhooks.description}
          <input name="description" maxLength={256} autoComplete="off" />
        </label>
        <button
          type="submit"
          class="primary"
          disabled={!mayWriteEvents}
          aria-disabled={isRunning}
          title={mayWriteEvents ? undefined : t.common.readOnlyEventsHint}
        >
          {t.common.add}
        </button>
      </form>
      <Secret secret={secret} />
      <Complaint text={complaint} />
      <Done text={done} />
    </>
  );
}
