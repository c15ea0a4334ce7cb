/** The rules of the guard, their last 24 hours, and their modes. */
import { useState } from 'preact/hooks';
import type { GuardDecision, GuardMode, GuardRule, GuardRuleName, GuardRuleUsage } from '../../../client/index.ts';
import { useAction } from '../../data/use-action.ts';
import type { Resource } from '../../data/use-resource.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Confirm } from '../confirm-dialog.tsx';
import { formatNumber } from '../format.ts';
import { Content, Panel } from '../frame.tsx';
import { useOperator, useWriteRight } from '../operator.ts';
import { Outcome } from '../parts.tsx';
import { UndoNotice, useNotice } from '../undo.tsx';
import { RuleUsage } from './usage.tsx';
import { QuietButton } from '../../ui/quiet-button.tsx';

const modeNames = { off: 'Off', shadow: 'Shadow', enforce: 'Enforce' };

const modeAbouts = {
  off: 'The rule is not checked.',
  shadow: 'The rule is checked and its decisions are recorded, but nothing is refused.',
  enforce: 'The rule refuses.',
};

export type DecisionKind = GuardDecision['action'];

interface RulesPanelProps {
  rules: Resource<GuardRule[]>;
  usage: readonly GuardRuleUsage[];
  onShow(rule: GuardRuleName, kind: DecisionKind): void;
}

export function RulesPanel({ rules, usage, onShow }: RulesPanelProps) {
  const [changing, setChanging] = useState<GuardRule>();
  const changingMode = useAction();
  const { isRunning } = changingMode;
  const [notice, setNotice] = useNotice();
  const { operations } = useOperator();

  async function setMode(rule: GuardRule, mode: GuardMode, reason: string): Promise<boolean> {
    const wanted = mode === rule.configuredMode ? 'configured' : mode;
    const isDone = await changingMode.run(
      () => operations.setGuardMode(rule.rule, wanted, { reason }),
      `${rule.rule} is in mode ${modeNames[mode]}.`,
    );
    rules.refresh();
    return isDone;
  }

  async function change(rule: GuardRule, mode: GuardMode, reason: string): Promise<void> {
    setChanging(undefined);
    if (!(await setMode(rule, mode, reason))) return;
    setNotice({
      text: `${rule.rule} is in mode ${modeNames[mode]} now. Every process applies it within seconds.`,
      undo() {
        setNotice(undefined);
        void setMode(rule, rule.mode, `Undone: ${reason}`.slice(0, 500));
      },
    });
  }

  return (
    <Panel title="Rules">
      <Outcome of={changingMode} />
      <Content of={rules}>
        {(list) => (
          <DataTable
            columns={['Rule', 'Nearest to the limit', 'Refused, 24 h', 'Would have refused, 24 h', 'Mode']}
            hasControl
            rows={list.map((rule) => ({
              key: rule.rule,
              cells: [
                <>
                  {rule.rule}
                  <span class="small-print">{rule.about}</span>
                </>,
                usageOf(rule, usage),
                rule.refused && <Count rule={rule} kind="refused" onShow={onShow} />,
                rule.shadow && <Count rule={rule} kind="shadow" onShow={onShow} />,
                <ModeButton rule={rule} onClick={() => setChanging(rule)} />,
              ],
            }))}
          />
        )}
      </Content>
      <UndoNotice notice={isRunning ? undefined : notice} />
      {changing && (
        <ModeDialog
          rule={changing}
          isReady={!isRunning}
          onConfirm={(mode, reason) => void change(changing, mode, reason)}
          onCancel={() => setChanging(undefined)}
        />
      )}
    </Panel>
  );
}

/** A rule that is off counts nothing. */
function usageOf({ rule, mode }: GuardRule, usage: readonly GuardRuleUsage[]) {
  const found = usage.find((each) => each.rule === rule);
  return found && mode !== 'off' && found.limits.length > 0 ? <RuleUsage usage={found} /> : null;
}

interface CountProps {
  rule: GuardRule;
  kind: DecisionKind;
  onShow(rule: GuardRuleName, kind: DecisionKind): void;
}

/** The number of decisions, as a button that shows them. */
function Count({ rule, kind, onShow }: CountProps) {
  const done = kind === 'refused' ? 'refused' : 'would have been refused';
  return (
    <QuietButton
      class="count-button"
      aria-label={`${formatNumber(rule[kind])} ${done} by ${rule.rule}: show them`}
      onClick={() => onShow(rule.rule, kind)}
    >
      {formatNumber(rule[kind])}
    </QuietButton>
  );
}

function ModeButton({ rule, onClick }: { rule: GuardRule; onClick(): void }) {
  const { mode, configuredMode, changedBy } = rule;
  return (
    <>
      <button
        type="button"
        class={`pill small mode-button mode-${mode}`}
        aria-label={`${modeNames[mode]}: mode of ${rule.rule}`}
        aria-haspopup="dialog"
        {...useWriteRight()}
        onClick={onClick}
      >
        {modeNames[mode]}
      </button>
      {changedBy && mode !== configuredMode && (
        <span class="small-print">
          by {changedBy}; configured: {modeNames[configuredMode]}
        </span>
      )}
    </>
  );
}

interface ModeDialogProps {
  rule: GuardRule;
  /** Whether the last change is finished. */
  isReady: boolean;
  onConfirm(mode: GuardMode, reason: string): void;
  onCancel(): void;
}

function ModeDialog({ rule, isReady, onConfirm, onCancel }: ModeDialogProps) {
  const [mode, setMode] = useState(rule.mode);
  return (
    <Confirm
      title={`Mode of ${rule.rule}`}
      action="Change the mode"
      isReady={isReady && mode !== rule.mode}
      onConfirm={(reason) => onConfirm(mode, reason)}
      onCancel={onCancel}
    >
      <fieldset class="mode-choices">
        <legend class="unseen">Mode</legend>
        {(Object.keys(modeNames) as GuardMode[]).map((name) => (
          <label key={name} class="mode-choice">
            <input type="radio" name="mode" value={name} checked={mode === name} onChange={() => setMode(name)} />
            <span>
              {modeNames[name]}
              {name === rule.mode && ' (now)'}
              <span class="small-print">{modeAbouts[name]}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Confirm>
  );
}
