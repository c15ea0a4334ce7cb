/** The rules against abuse: whom they hold, how they stand, what they decided. */
import { useRef, useState } from 'preact/hooks';
import type {
  GuardBlock,
  GuardDecision,
  GuardMode,
  GuardRule,
  GuardRuleName,
  OperatorFunctions,
} from '../../client/index.ts';
import { refreshSeconds, useAsked, useAskedPages, useChange } from './ask.ts';
import { at, Complaint, Loading, number, Older, PanelHeading, Said, Table } from './parts.tsx';

type Action = GuardDecision['action'];

export function GuardView({ desk }: { desk: OperatorFunctions }) {
  const rules = useAsked(() => desk.guardRules(), [desk], refreshSeconds);
  const blocks = useAsked(() => desk.guardBlocks(), [desk], refreshSeconds);
  const [action, setAction] = useState<Action>();
  const [rule, setRule] = useState<GuardRuleName>();
  const decisions = useAskedPages(
    (before, count) => desk.guardDecisions({ action, rule, before, count }),
    [desk, action, rule],
  );
  const { complaint, said, run } = useChange();
  const blocksHeading = useRef<HTMLHeadingElement>(null);
  const decisionsHeading = useRef<HTMLHeadingElement>(null);

  async function lift({ id, subject }: GuardBlock): Promise<void> {
    if (await run(desk.liftBlock({ block: id }), `The block of ${subject} is lifted.`)) blocksHeading.current!.focus();
    blocks.again();
  }

  async function changeMode(name: GuardRuleName, mode: GuardMode | 'configured'): Promise<void> {
    await run(desk.setGuardMode(name, mode), `The mode of ${name} is changed.`);
    rules.again();
  }

  function look(name: GuardRuleName, what: Action): void {
    setRule(name);
    setAction(what);
    decisionsHeading.current!.focus({ preventScroll: true });
    decisionsHeading.current!.scrollIntoView({ block: 'start' });
  }

  return (
    <>
      <header class="view-title">
        <h1>Guard</h1>
      </header>
      <Complaint text={complaint ?? rules.error ?? blocks.error ?? decisions.error} />
      <Said text={said} />
      <section class="card panel" aria-labelledby="blocks">
        <PanelHeading id="blocks" of={blocksHeading}>
          Blocked now
        </PanelHeading>
        {!blocks.value && !blocks.error && <Loading />}
        {blocks.value?.length === 0 && <p class="soft">Nobody is blocked.</p>}
        {blocks.value && blocks.value.length > 0 && (
          <Table
            columns={['Who', 'Rule', 'Until', 'Action']}
            rows={blocks.value.map((block) => ({
              key: block.id,
              cells: [
                <Blocked block={block} />,
                block.rule,
                at(block.until),
                <button
                  type="button"
                  class="quiet small"
                  aria-label={`Lift the block of ${block.subject}`}
                  onClick={() => lift(block)}
                >
                  Lift
                </button>,
              ],
            }))}
          />
        )}
      </section>
      <section class="card panel" aria-labelledby="rules">
        <PanelHeading id="rules">Rules</PanelHeading>
        {!rules.value && !rules.error && <Loading />}
        {rules.value && (
          <Table
            columns={['Rule', 'Refused, 24 h', 'Would have, 24 h', 'Mode']}
            rows={rules.value.map((one) => ({
              key: one.rule,
              cells: [
                <>
                  {one.rule}
                  <span class="about">{one.about}</span>
                </>,
                <Count rule={one} action="refused" onLook={look} />,
                <Count rule={one} action="shadow" onLook={look} />,
                <Mode rule={one} onMode={(mode) => changeMode(one.rule, mode)} />,
              ],
            }))}
          />
        )}
      </section>
      <section class="card panel" aria-labelledby="decisions">
        <header class="panel-title">
          <PanelHeading id="decisions" of={decisionsHeading}>
            Decisions
          </PanelHeading>
          <div class="choices">
            <select
              aria-label="Decisions of which rule"
              value={rule ?? ''}
              onChange={(event) => setRule((event.currentTarget.value || undefined) as GuardRuleName | undefined)}
            >
              <option value="">Every rule</option>
              {rules.value?.map((one) => (
                <option key={one.rule} value={one.rule}>
                  {one.rule}
                </option>
              ))}
            </select>
            <select
              aria-label="Which decisions"
              value={action ?? ''}
              onChange={(event) => setAction((event.currentTarget.value || undefined) as Action | undefined)}
            >
              <option value="">All</option>
              <option value="refused">Refused</option>
              <option value="shadow">Would have refused</option>
            </select>
          </div>
        </header>
        {!decisions.value && !decisions.error && <Loading />}
        {decisions.value?.length === 0 && <p class="soft">Nothing of this kind was decided.</p>}
        {decisions.value && decisions.value.length > 0 && (
          <Table
            columns={['When', 'Rule', 'Decision', 'User', 'Number', 'From']}
            rows={decisions.value.map((decision) => ({
              key: decision.id,
              cells: [
                at(decision.at),
                decision.rule,
                <>
                  <span class={`mark ${decision.action}`}>
                    {decision.action === 'refused' ? 'Refused' : 'Would have refused'}
                  </span>
                  <span class="about">
                    {decision.operation === 'send-code' ? 'sending a code' : 'verifying a code'}
                  </span>
                </>,
                <a href={`#customer/${decision.userId}`}>{decision.userId}</a>,
                <>
                  {decision.phone ?? '–'}
                  {decision.country && <span class="about">{decision.country}</span>}
                </>,
                decision.source ?? '–',
              ],
            }))}
          />
        )}
        <Older onClick={decisions.older} />
      </section>
    </>
  );
}

function Blocked({ block: { id, subject, userIds } }: { block: GuardBlock }) {
  return (
    <>
      {id.startsWith('user:') ? <a href={`#customer/${subject}`}>User {subject}</a> : subject}
      {userIds && (
        <span class="about">
          holds{' '}
          {userIds.map((user) => (
            <a key={user} class="pick" href={`#customer/${user}`}>
              user {user}
            </a>
          ))}
        </span>
      )}
    </>
  );
}

interface CountProps {
  rule: GuardRule;
  action: Action;
  onLook(rule: GuardRuleName, action: Action): void;
}

/** How many, and the way to them. */
function Count({ rule, action, onLook }: CountProps) {
  if (rule[action] === 0) return <>0</>;
  const words = action === 'refused' ? 'refused' : 'would have been refused';
  return (
    <button
      type="button"
      class="quiet small count"
      aria-label={`${number(rule[action])} ${words} by ${rule.rule}: show them`}
      onClick={() => onLook(rule.rule, action)}
    >
      {number(rule[action])}
    </button>
  );
}

function Mode({ rule, onMode }: { rule: GuardRule; onMode(mode: GuardMode | 'configured'): void }) {
  const { mode, configuredMode, changedBy } = rule;
  return (
    <>
      <select
        aria-label={`Mode of ${rule.rule}`}
        value={mode}
        onChange={(event) => {
          const chosen = event.currentTarget.value as GuardMode;
          onMode(chosen === configuredMode ? 'configured' : chosen);
        }}
      >
        <option value="off">Off</option>
        <option value="shadow">Shadow</option>
        <option value="enforce">Enforce</option>
      </select>
      {changedBy && mode !== configuredMode && (
        <span class="about">
          by {changedBy}; configured: {configuredMode}
        </span>
      )}
    </>
  );
}
