/** The rules of the guard, their last 24 hours, and their modes. */
import { useState } from 'preact/hooks';
import type { GuardDecision, GuardMode, GuardRule, GuardRuleName } from '../../client/index.ts';
import { Confirm } from './confirm.tsx';
import { formatNumber } from './format.ts';
import { readOnlyHint, useOperator } from './operator.ts';
import { Complaint, Done, Loading, PanelHeading, Table } from './parts.tsx';
import { useChange, type Requested } from './requests.ts';
import { UndoNotice, useNotice } from './undo.tsx';

export type DecisionKind = GuardDecision['action'];

interface RulesPanelProps {
  rules: Requested<GuardRule[]>;
  onShow(rule: GuardRuleName, kind: DecisionKind): void;
}

export function RulesPanel({ rules, onShow }: RulesPanelProps) {
  const [changing, setChanging] = useState<GuardRule>();
  const { complaint, done, run } = useChange();
  const [notice, setNotice] = useNotice();
  const { desk } = useOperator();

  async function setMode(rule: GuardRule, mode: GuardMode, reason: string): Promise<boolean> {
    const wanted = mode === rule.configuredMode ? 'configured' : mode;
    const isDone = await run(desk.setGuardMode(rule.rule, wanted, { reason }), `${rule.rule} is in mode ${mode}.`);
    rules.refresh();
    return isDone;
  }

  async function change(rule: GuardRule, mode: GuardMode, reason: string): Promise<void> {
    setChanging(undefined);
    if (!(await setMode(rule, mode, reason))) return;
    setNotice({
      text: `${rule.rule} is in mode ${modeNames[mode]} now. Every process follows within seconds.`,
      undo() {
        setNotice(undefined);
        void setMode(rule, rule.mode, `Undone: ${reason}`.slice(0, 500));
      },
    });
  }

  return (
    <section class="card panel" aria-labelledby="rules">
      <PanelHeading id="rules">Rules</PanelHeading>
      <Complaint text={complaint} />
      <Done text={done} />
      {!rules.value && !rules.error && <Loading />}
      {rules.value && (
        <Table
          columns={['Rule', 'Refused, 24 h', 'Would have, 24 h', 'Mode']}
          hasControl
          rows={rules.value.map((rule) => ({
            key: rule.rule,
            cells: [
              <>
                {rule.rule}
                <span class="about">{rule.about}</span>
              </>,
              rule.refused && <Count rule={rule} kind="refused" onShow={onShow} />,
              rule.shadow && <Count rule={rule} kind="shadow" onShow={onShow} />,
              <ModeButton rule={rule} onClick={() => setChanging(rule)} />,
            ],
          }))}
        />
      )}
      <UndoNotice notice={notice} />
      {changing && (
        <ModeDialog
          rule={changing}
          onConfirm={(mode, reason) => void change(changing, mode, reason)}
          onCancel={() => setChanging(undefined)}
        />
      )}
    </section>
  );
}

interface CountProps {
  rule: GuardRule;
  kind: DecisionKind;
  onShow(rule: GuardRuleName, kind: DecisionKind): void;
}

/** The number of decisions, which leads to them. */
function Count({ rule, kind, onShow }: CountProps) {
  const words = kind === 'refused' ? 'refused' : 'would have been refused';
  return (
    <button
      type="button"
      class="quiet small count"
      aria-label={`${formatNumber(rule[kind])} ${words} by ${rule.rule}: show them`}
      onClick={() => onShow(rule.rule, kind)}
    >
      {formatNumber(rule[kind])}
    </button>
  );
}

const modeNames: Record<GuardMode, string> = { off: 'Off', shadow: 'Shadow', enforce: 'Enforce' };
const modeAbouts: Record<GuardMode, string> = {
  off: 'The rule is not checked.',
  shadow: 'The rule is checked and its decisions are recorded, but nothing is refused.',
  enforce: 'The rule refuses.',
};

function ModeButton({ rule, onClick }: { rule: GuardRule; onClick(): void }) {
  const { mayWrite } = useOperator();
  const { mode, configuredMode, changedBy } = rule;
  return (
    <>
      <button
        type="button"
        class={`pill small mode ${mode}`}
        aria-label={`${modeNames[mode]}: mode of ${rule.rule}`}
        aria-haspopup="dialog"
        disabled={!mayWrite}
        title={mayWrite ? undefined : readOnlyHint}
        onClick={onClick}
      >
        {modeNames[mode]}
      </button>
      {changedBy && mode !== configuredMode && (
        <span class="about">
          by {changedBy}; configured: {modeNames[configuredMode]}
        </span>
      )}
    </>
  );
}

interface ModeDialogProps {
  rule: GuardRule;
  onConfirm(mode: GuardMode, reason: string): void;
  onCancel(): void;
}

function ModeDialog({ rule, onConfirm, onCancel }: ModeDialogProps) {
  const [mode, setMode] = useState(rule.mode);
  return (
    <Confirm
      title={`Mode of ${rule.rule}`}
      action="Change the mode"
      isReady={mode !== rule.mode}
      onConfirm={(reason) => onConfirm(mode, reason)}
      onCancel={onCancel}
    >
      <fieldset class="modes">
        <legend class="unseen">Mode</legend>
        {(Object.keys(modeNames) as GuardMode[]).map((name) => (
          <label key={name} class="choice">
            <input type="radio" name="mode" value={name} checked={mode === name} onChange={() => setMode(name)} />
            <span>
              {modeNames[name]}
              {name === rule.mode && ' (now)'}
              <span class="about">{modeAbouts[name]}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Confirm>
  );
}
