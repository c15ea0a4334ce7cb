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
import { t } from '../texts.ts';
import { UndoNotice, useNotice } from '../undo.tsx';
import { RuleUsage } from './usage.tsx';
import { QuietButton } from '../../ui/quiet-button.tsx';

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
      t.guard.isInMode(rule.rule, t.guard.modes[mode]),
    );
    rules.refresh();
    return isDone;
  }

  async function change(rule: GuardRule, mode: GuardMode, reason: string): Promise<void> {
    setChanging(undefined);
    if (!(await setMode(rule, mode, reason))) return;
    setNotice({
      text: t.guard.isInModeNow(rule.rule, t.guard.modes[mode]),
      undo() {
        setNotice(undefined);
        void setMode(rule, rule.mode, t.guard.undone(reason).slice(0, 500));
      },
    });
  }

  return (
    <Panel title={t.guard.rules}>
      <Outcome of={changingMode} />
      <Content of={rules}>
        {(list) => (
          <DataTable
            columns={[t.common.rule, t.guard.use, t.guard.refusedDay, t.guard.shadowDay, t.guard.mode]}
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
  const label = kind === 'refused' ? t.guard.showRefused : t.guard.showShadow;
  return (
    <QuietButton
      class="count-button"
      aria-label={label(formatNumber(rule[kind]), rule.rule)}
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
        aria-label={t.guard.modeButton(t.guard.modes[mode], rule.rule)}
        aria-haspopup="dialog"
        {...useWriteRight()}
        onClick={onClick}
      >
        {t.guard.modes[mode]}
      </button>
      {changedBy && mode !== configuredMode && (
        <span class="small-print">{t.guard.changedBy(changedBy, t.guard.modes[configuredMode])}</span>
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
      title={t.guard.modeOf(rule.rule)}
      action={t.guard.changeMode}
      isReady={isReady && mode !== rule.mode}
      onConfirm={(reason) => onConfirm(mode, reason)}
      onCancel={onCancel}
    >
      <fieldset class="mode-choices">
        <legend class="unseen">{t.guard.mode}</legend>
        {(Object.keys(t.guard.modes) as GuardMode[]).map((name) => (
          <label key={name} class="mode-choice">
            <input type="radio" name="mode" value={name} checked={mode === name} onChange={() => setMode(name)} />
            <span>
              {t.guard.modes[name]}
              {name === rule.mode && ` ${t.guard.now}`}
              <span class="small-print">{t.guard.modeAbouts[name]}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Confirm>
  );
}
