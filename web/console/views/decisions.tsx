/** Single decisions of the guard: what it refused, and what a rule in shadow would have refused. */
import type { Ref } from 'preact';
import type { GuardDecision, GuardRule, GuardRuleName } from '../../../client/index.ts';
import { hrefOf } from '../hrefs.ts';
import { evidenceSentence, evidenceSubject } from './evidence.ts';
import { Loading, Older, PanelHeading, Table, Time } from '../parts.tsx';
import type { DecisionKind } from './rules.tsx';
import { t } from '../texts.ts';
import type { CursorPages } from '../use-cursor-pages.ts';

interface DecisionsPanelProps {
  decisions: CursorPages<GuardDecision>;
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
          {t.guard.decisions}
        </PanelHeading>
        <div class="choices">
          <select
            aria-label={t.guard.whichRule}
            value={rule ?? ''}
            onChange={(event) => onRule((event.currentTarget.value || undefined) as GuardRuleName | undefined)}
          >
            <option value="">{t.common.everyRule}</option>
            {rules.map(({ rule: name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <select
            aria-label={t.guard.whichDecisions}
            value={kind ?? ''}
            onChange={(event) => onKind((event.currentTarget.value || undefined) as DecisionKind | undefined)}
          >
            <option value="">{t.common.all}</option>
            <option value="refused">{t.guard.refused}</option>
            <option value="shadow">{t.guard.shadow}</option>
          </select>
        </div>
      </header>
      {!decisions.value && !decisions.error && <Loading />}
      {decisions.value?.length === 0 && <p class="soft">{t.guard.noDecisions}</p>}
      {decisions.value && decisions.value.length > 0 && (
        <Table
          columns={[t.common.when, t.common.rule, t.guard.decision, t.common.user, t.guard.number, t.guard.source]}
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
    <>
      {decision.rule}
      {decision.evidence !== null && (
        <span class="about">
          {decision.figures
            ? `${evidenceSubject(decision.figures)}: ${evidenceSentence(decision.figures)}`
            : decision.evidence}
        </span>
      )}
    </>,
    <>
      <span class={`mark ${decision.action}`}>{decision.action === 'refused' ? t.guard.refused : t.guard.shadow}</span>
      <span class="about">{decision.operation.startsWith('verify') ? t.guard.verifying : t.guard.sending}</span>
    </>,
    <a href={hrefOf('customer', decision.userId)}>{decision.userId}</a>,
    decision.phone && (
      <>
        {decision.phone}
        {decision.country && <span class="about">{decision.country}</span>}
      </>
    ),
    decision.source,
  ];
}
