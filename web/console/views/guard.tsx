/** The rules against abuse: who is blocked, the rules and their modes, and their decisions. */
import { useRef } from 'preact/hooks';
import type { GuardDecision, GuardRuleName } from '../../../client/index.ts';
import { goTo, useFilter } from '../address.ts';
import { hrefOf } from '../hrefs.ts';
import { BlocksPanel } from './blocks.tsx';
import { DecisionsPanel } from './decisions.tsx';
import { useOperator } from '../operator.ts';
import { isStale, pageSizeOf, ViewTitle } from '../parts.tsx';
import { refreshSeconds, useRequest } from '../requests.ts';
import { RulesPanel, type DecisionKind } from './rules.tsx';
import { t } from '../texts.ts';
import { usePagesById } from '../use-cursor-pages.ts';

/** How often the usage is requested. Counting it reads many rows. */
const usageSeconds = 60;

export function GuardView() {
  const { operations } = useOperator();
  const rules = useRequest((options) => operations.guardRules(options), [operations], refreshSeconds);
  const blocks = useRequest((options) => operations.guardBlocks(options), [operations], refreshSeconds);
  const usage = useRequest((options) => operations.guardUsage(options), [operations], usageSeconds);
  const filter = useFilter();
  const kind = filter.kind as DecisionKind | undefined;
  const rule = filter.rule as GuardRuleName | undefined;
  const choose = (next: { rule?: string | undefined; kind?: string | undefined }) =>
    goTo(hrefOf('guard', '', { rule, kind, ...next }));
  const decisions = usePagesById<GuardDecision>(
    (before, count, options) => operations.guardDecisions({ action: kind, rule, before, count }, options),
    [operations, kind, rule],
    pageSizeOf(50, 10),
  );
  const decisionsHeading = useRef<HTMLHeadingElement>(null);

  function show(name: GuardRuleName, wanted: DecisionKind): void {
    choose({ rule: name, kind: wanted });
    decisionsHeading.current!.focus({ preventScroll: true });
    decisionsHeading.current!.scrollIntoView({ block: 'start' });
  }

  return (
    <div class={isStale(rules, blocks, decisions) ? 'view stale' : 'view'}>
      <ViewTitle title={t.common.guard} requests={[rules, blocks, decisions]} />
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
    </div>
  );
}
