/** Single decisions of the guard: what it refused, and what a rule in shadow would have refused. */
import type { Ref } from 'preact';
import type { GuardDecision, GuardRule, GuardRuleName } from '../../client/index.ts';
import { Loading, Older, PanelHeading, Table, Time } from './parts.tsx';
import type { RequestedPages } from './requests.ts';
import type { DecisionKind } from './rules.tsx';

interface DecisionsPanelProps {
  decisions: RequestedPages<GuardDecision>;
  rules: GuardRule[];
  rule: GuardRuleName | undefined;
  kind: DecisionKind | undefined;
  headingRef: Ref<HTMLHeadingElement>;
  onRule(rule: GuardRuleName | undefined): void;
  onKind(kind: DecisionKind | undefined): void;
}

export function DecisionsPanel({ decisions, rules, rule, kind, headingRef, onRule, onKind }: DecisionsPanelProps) {
  return (
    <section class="card panel" aria-labelledby="decisions">
      <header class="panel-title">
        <PanelHeading id="decisions" headingRef={headingRef}>
          Decisions
        </PanelHeading>
        <div class="choices">
          <select
            aria-label="Decisions of which rule"
            value={rule ?? ''}
            onChange={(event) => onRule((event.currentTarget.value || undefined) as GuardRuleName | undefined)}
          >
            <option value="">Every rule</option>
            {rules.map(({ rule: name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <select
            aria-label="Which decisions"
            value={kind ?? ''}
            onChange={(event) => onKind((event.currentTarget.value || undefined) as DecisionKind | undefined)}
          >
            <option value="">All</option>
            <option value="refused">Refused</option>
            <option value="shadow">Would have refused</option>
          </select>
        </div>
      </header>
      {!decisions.value && !decisions.error && <Loading />}
      {decisions.value?.length === 0 && <p class="soft">There are no such decisions.</p>}
      {decisions.value && decisions.value.length > 0 && (
        <Table
          columns={['When', 'Rule', 'Decision', 'User', 'Number', 'From']}
          rows={decisions.value.map((decision) => ({ key: decision.id, cells: cellsOf(decision) }))}
        />
      )}
      <Older onClick={decisions.showOlder} />
    </section>
  );
}

function cellsOf(decision: GuardDecision) {
  return [
    <Time instant={decision.at} />,
    decision.rule,
    <>
      <span class={`mark ${decision.action}`}>{decision.action === 'refused' ? 'Refused' : 'Would have refused'}</span>
      <span class="about">{decision.operation === 'send-code' ? 'sending a code' : 'verifying a code'}</span>
    </>,
    <a href={`#customer/${decision.userId}`}>{decision.userId}</a>,
    decision.phone && (
      <>
        {decision.phone}
        {decision.country && <span class="about">{decision.country}</span>}
      </>
    ),
    decision.source,
  ];
}
