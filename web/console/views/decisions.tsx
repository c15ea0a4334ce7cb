/** Single decisions of the guard: what it refused, and what a rule in shadow would have refused. */
import type { Ref } from 'preact';
import type { GuardDecision, GuardRule, GuardRuleName } from '../../../client/index.ts';
import type { Pages } from '../../data/use-pages.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Content, Panel } from '../frame.tsx';
import { hrefOf } from '../hrefs.ts';
import { Older, PanelChoice, Time } from '../parts.tsx';
import { t } from '../texts.ts';
import { evidenceSentence, evidenceSubject } from './evidence.ts';
import type { DecisionKind } from './rules.tsx';

interface DecisionsPanelProps {
  decisions: Pages<GuardDecision>;
  rules: GuardRule[];
  rule: GuardRuleName | undefined;
  kind: DecisionKind | undefined;
  headingRef: Ref<HTMLHeadingElement>;
  onRule(rule: GuardRuleName | undefined): void;
  onKind(kind: DecisionKind | undefined): void;
}

const kinds = [
  ['refused', t.guard.refused],
  ['shadow', t.guard.shadow],
] as const;

export function DecisionsPanel({ decisions, rules, rule, kind, headingRef, onRule, onKind }: DecisionsPanelProps) {
  return (
    <Panel
      title={t.guard.decisions}
      headingRef={headingRef}
      actions={
        <div class="panel-choices">
          <PanelChoice
            label={t.guard.whichRule}
            anyName={t.common.everyRule}
            options={rules.map(({ rule: name }) => [name, name] as const)}
            value={rule}
            onChoose={onRule}
          />
          <PanelChoice
            label={t.guard.whichDecisions}
            anyName={t.common.all}
            options={kinds}
            value={kind}
            onChoose={onKind}
          />
        </div>
      }
    >
      <Content of={decisions} none={t.guard.noDecisions}>
        {(list) => (
          <DataTable
            columns={[t.common.when, t.common.rule, t.guard.decision, t.common.user, t.guard.number, t.guard.source]}
            rows={list.map((decision) => ({ key: decision.id, cells: cellsOf(decision) }))}
          />
        )}
      </Content>
      <Older of={decisions} />
    </Panel>
  );
}

function cellsOf(decision: GuardDecision) {
  return [
    <Time instant={decision.at} />,
    <>
      {decision.rule}
      {decision.evidence !== null && (
        <span class="small-print">
          {decision.figures
            ? `${evidenceSubject(decision.figures)}: ${evidenceSentence(decision.figures)}`
            : decision.evidence}
        </span>
      )}
    </>,
    <>
      <span class={`state-mark is-${decision.action === 'refused' ? 'bad' : 'warn'}`}>
        {decision.action === 'refused' ? t.guard.refused : t.guard.shadow}
      </span>
      <span class="small-print">{decision.operation.startsWith('verify') ? t.guard.verifying : t.guard.sending}</span>
    </>,
    <a href={hrefOf('customer', decision.userId)}>{decision.userId}</a>,
    decision.phone && (
      <>
        {decision.phone}
        {decision.country && <span class="small-print">{decision.country}</span>}
      </>
    ),
    decision.source,
  ];
}
