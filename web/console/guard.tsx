/** The rules against abuse: who is blocked, the rules and their modes, and their decisions. */
import { useRef, useState } from 'preact/hooks';
import type { GuardRuleName } from '../../client/index.ts';
import { BlocksPanel } from './blocks.tsx';
import { DecisionsPanel } from './decisions.tsx';
import { useOperator } from './operator.ts';
import { isStale, pageSizeOf, ViewTitle } from './parts.tsx';
import { refreshSeconds, useRequest, useRequestedPages } from './requests.ts';
import { RulesPanel, type DecisionKind } from './rules.tsx';

export function GuardView() {
  const { desk } = useOperator();
  const rules = useRequest(() => desk.guardRules(), [desk], refreshSeconds);
  const blocks = useRequest(() => desk.guardBlocks(), [desk], refreshSeconds);
  const [kind, setKind] = useState<DecisionKind>();
  const [rule, setRule] = useState<GuardRuleName>();
  const decisions = useRequestedPages(
    (before, count) => desk.guardDecisions({ action: kind, rule, before, count }),
    [desk, kind, rule],
    pageSizeOf(50, 10),
  );
  const decisionsHeading = useRef<HTMLHeadingElement>(null);

  function show(name: GuardRuleName, wanted: DecisionKind): void {
    setRule(name);
    setKind(wanted);
    decisionsHeading.current!.focus({ preventScroll: true });
    decisionsHeading.current!.scrollIntoView({ block: 'start' });
  }

  return (
    <div class={isStale(rules, blocks, decisions) ? 'view stale' : 'view'}>
      <ViewTitle title="Guard" requests={[rules, blocks, decisions]} />
      <BlocksPanel blocks={blocks} />
      <RulesPanel rules={rules} onShow={show} />
      <DecisionsPanel
        decisions={decisions}
        rules={rules.value ?? []}
        rule={rule}
        kind={kind}
        headingRef={decisionsHeading}
        onRule={setRule}
        onKind={setKind}
      />
    </div>
  );
}
