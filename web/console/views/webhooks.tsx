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
import { AddEndpoint } from './add-endpoint.tsx';
import { DeliveriesPanel } from './deliveries.tsx';
import { EndpointActions } from './endpoint-actions.tsx';

const disabledReasons: Readonly<Record<string, string>> = {
  gone: 'The receiver answered 410 Gone.',
  failing: 'It failed for five days.',
  request: 'Somebody disabled it.',
};

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
            title={`Endpoint ${chosen}`}
            closeText="Close"
            onClose={() => goTo(hrefOf('webhooks'))}
          >
            <Frame of={`Endpoint ${chosen}`} class="side-frame">
              <EndpointActions endpoint={endpoint} onChanged={endpoints.refresh} onRemoved={removed} />
              <DeliveriesPanel endpointId={chosen} />
            </Frame>
          </SidePanel>
        )
      }
    >
      <Panel title="Endpoints" headingRef={heading}>
        <Content of={endpoints} none="There are no endpoints, so no events are sent.">
          {(list) => (
            <DataTable
              columns={['Endpoint', 'Types', 'Health', 'Waiting']}
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
      <Panel title="Add an endpoint">
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
    types.length === 0 ? 'All' : types.join(', '),
    <Health endpoint={endpoint} />,
    due === 0 ? null : (
      <>
        {due >= countedDeliveries ? `${formatNumber(countedDeliveries)} or more` : formatNumber(due)}
        {oldestDueAt !== null && <Since instant={oldestDueAt} />}
      </>
    ),
  ];
}

/** The oldest delivery waits since it is due, or for its next try. */
function Since({ instant }: { instant: string }) {
  return (
    <span class="small-print">
      {Date.parse(instant) > serviceNow() ? 'next try at' : 'since'} <ExactTime instant={instant} />
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
        <span class="state-mark is-bad">Disabled</span>
        <span class="small-print">{disabledReasons[disabledReason ?? ''] ?? disabledReason}</span>
      </>
    );
  }
  if (failingSince !== null) {
    return (
      <>
        <span class="state-mark is-warn">Failing</span>
        <Since instant={failingSince} />
      </>
    );
  }
  return isTried ? <span class="state-mark is-good">Healthy</span> : <span class="state-mark">Not tried yet</span>;
}
