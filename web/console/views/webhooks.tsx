/** Webhook endpoints: their health, their deliveries, and what a person may change. */
import { useRef } from 'preact/hooks';
import type { OperatorWebhookEndpoint } from '../../../client/index.ts';
import { useResource } from '../../data/use-resource.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ListWithPanel, SidePanel } from '../../ui/side-panel.tsx';
import { goTo, useAddress } from '../address.ts';
import { serviceNow } from '../clock.ts';
import { formatNumber } from '../format.ts';
import { Content, Frame, Panel } from '../frame.tsx';
import { hrefOf } from '../hrefs.ts';
import { refreshSeconds, useOperator } from '../operator.ts';
import { ExactTime } from '../parts.tsx';
import { t } from '../texts.ts';
import { AddEndpoint } from './add-endpoint.tsx';
import { DeliveriesPanel } from './deliveries.tsx';
import { EndpointActions } from './endpoint-actions.tsx';

/** The service counts only up to this number. */
const countedDeliveries = 1000;

export function WebhooksView() {
  const { operations } = useOperator();
  const chosen = Number(useAddress().part);
  const endpoints = useResource([operations], (options) => operations.webhookEndpoints(options), {
    everySeconds: refreshSeconds,
  });
  const endpoint = endpoints.value?.find(({ id }) => id === chosen);
  const heading = useRef<HTMLHeadingElement>(null);

  function removed(): void {
    goTo(hrefOf('webhooks'));
    heading.current!.focus();
    endpoints.refresh();
  }

  return (
    <ListWithPanel
      panel={
        endpoint && (
          <SidePanel
            key={chosen}
            title={t.webhooks.endpointNumber(String(chosen))}
            closeText={t.common.close}
            onClose={() => goTo(hrefOf('webhooks'))}
          >
            <Frame of={t.webhooks.endpointNumber(String(chosen))} class="side-frame">
              <EndpointActions endpoint={endpoint} onChanged={endpoints.refresh} onRemoved={removed} />
              <DeliveriesPanel endpointId={chosen} />
            </Frame>
          </SidePanel>
        )
      }
    >
      <Panel title={t.webhooks.endpoints} headingRef={heading}>
        <Content of={endpoints} none={t.webhooks.none}>
          {(list) => (
            <DataTable
              columns={[t.webhooks.endpoint, t.webhooks.types, t.webhooks.health, t.webhooks.waiting]}
              rows={list.map((each) => ({
                key: each.id,
                cells: cellsOf(each),
                href: hrefOf('webhooks', each.id),
                isChosen: each.id === chosen,
              }))}
            />
          )}
        </Content>
      </Panel>
      <Panel title={t.webhooks.form}>
        <AddEndpoint onAdded={endpoints.refresh} />
      </Panel>
    </ListWithPanel>
  );
}

function cellsOf(endpoint: OperatorWebhookEndpoint) {
  const { id, url, description, types, due, oldestDueAt } = endpoint;
  return [
    <>
      {url} <span class="small-print">{description ? `${id}: ${description}` : id}</span>
    </>,
    types.length === 0 ? t.webhooks.allTypes : types.join(', '),
    <Health endpoint={endpoint} />,
    due === 0 ? null : (
      <>
        {due >= countedDeliveries ? t.webhooks.orMore(formatNumber(countedDeliveries)) : formatNumber(due)}
        {oldestDueAt !== null && <Since instant={oldestDueAt} />}
      </>
    ),
  ];
}

/** The oldest delivery waits since it is due, or for its next try. */
function Since({ instant }: { instant: string }) {
  return (
    <span class="small-print">
      {Date.parse(instant) > serviceNow() ? t.webhooks.nextTry : t.webhooks.since} <ExactTime instant={instant} />
    </span>
  );
}

function Health({
  endpoint: { enabled, disabledReason, failingSince, isTried },
}: {
  endpoint: OperatorWebhookEndpoint;
}) {
  if (!enabled) {
    return (
      <>
        <span class="state-mark is-bad">{t.webhooks.disabled}</span>
        <span class="small-print">
          {(t.webhooks.disabledReasons as Record<string, string>)[disabledReason ?? ''] ?? disabledReason}
        </span>
      </>
    );
  }
  if (failingSince !== null) {
    return (
      <>
        <span class="state-mark is-warn">{t.webhooks.failing}</span>
        <Since instant={failingSince} />
      </>
    );
  }
  return isTried ? (
    <span class="state-mark is-good">{t.webhooks.healthy}</span>
  ) : (
    <span class="state-mark">{t.webhooks.notTried}</span>
  );
}
