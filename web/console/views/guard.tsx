/** The rules against abuse: who is blocked, the rules and their modes, and their decisions. */
import { useRef } from 'preact/hooks';
import type { GuardDecision, GuardRuleName } from '../../../client/index.ts';
import { usePagesById } from '../../data/use-pages.ts';
import { useResource } from '../../data/use-resource.ts';
import { goTo, useFilter } from '../address.ts';
import { hrefOf } from '../hrefs.ts';
import { refreshSeconds, useOperator } from '../operator.ts';
import { pageSizeOf } from '../parts.tsx';
import { BlocksPanel } from './blocks.tsx';
import { DecisionsPanel } from './decisions.tsx';
import { RulesPanel, type DecisionKind } from './rules.tsx';

/** How often the usage is requested. Counting it reads many rows. */
const usageSeconds = 60;

export function GuardView() {
  const { operations } = useOperator();
  const often = { everySeconds: refreshSeconds };
  const rules = useResource([operations], (options) => operations.guardRules(options), often);
  const blocks = useResource([operations], (options) => operations.guardBlocks(options), often);
  const usage = useResource([operations], (options) => operations.guardUsage(options), { everySeconds: usageSeconds });
  const filter = useFilter();
  const kind = filter.kind as DecisionKind | undefined;
  const rule = filter.rule as GuardRuleName | undefined;
  const choose = (next: { rule?: string | undefined; kind?: string | undefined }) =>
    goTo(hrefOf('guard', '', { rule, kind, ...next }));
  const decisions = usePagesById<GuardDecision>(
    [operations, kind, rule],
    (before, count, options) => operations.guardDecisions({ action: kind, rule, before, count }, options),
    pageSizeOf(50, 10),
  );
  const decisionsHeading = useRef<HTMLHeadingElement>(null);

  function show(name: GuardRuleName, wanted: DecisionKind): void {
    choose({ rule: name, kind: wanted });
    decisionsHeading.current!.focus({ preventScroll: true });
    decisionsHeading.current!.scrollIntoView({ block: 'start' });
  }

  return (
    <>
      <BlocksPanel blocks={blocks} />
      <RulesPanel rules={rules} usage={usage.value ?? []} onShow={show} />
      <DecisionsPanel
        decisions={decisions}
        rules={rules.value ?? []}
        rule={rule}
        kind={kind}
        headingRef={decisionsHeading}
        onRule={(next) => choose({ rule: next })}
        onKind={(next) => choose({ kind: next })}
      />
    </>
  );
}
