/** `ledgerline guard …`: what operators can do, without a running service. */
import { createAudit } from '../audit/audit.ts';
import { createAuditStore } from '../audit/audit.store.ts';
import { planKeys } from '../auth/digest-key-registry.ts';
import { readDigestKeys } from '../auth/keys.ts';
import { ServiceClock } from '../clock.ts';
import { loadConfig } from '../config/load.ts';
import { enterKeys } from '../db/installation.ts';
import { Problem, StartError } from '../errors.ts';
import { plainAddress } from '../http/client-address.ts';
import { configuredModes, findRule, ruleModes, ruleNames } from '../guard/rules.ts';
import { createGuardControl, type GuardControl } from '../guard/guard-control.ts';
import { createDigest } from '../guard/source.ts';
import { createGuardControlStore } from '../guard/guard-control.store.ts';
import { parsePhoneNumber } from '../phone/phone-number.ts';
import { createSandboxStore } from '../sandbox/sandbox.store.ts';
import { commandLineActor } from './command-line-actor.ts';
import { withDatabase } from './database.ts';
import { table } from './table.ts';

async function withGuardControl(work: (control: GuardControl) => Promise<void>): Promise<number> {
  const config = loadConfig(process.env);
  const nodeKeys = await readDigestKeys(config);
  await withDatabase(2, async (db) => {
    const { guardKey } = await enterKeys(db, (known) => planKeys(known, nodeKeys));
    const clock = new ServiceClock();
    if (config.mode === 'sandbox') clock.aheadSeconds = await createSandboxStore(db).readClock();
    const observe = () => {};
    const control = createGuardControl({
      store: createGuardControlStore(db),
      audit: createAudit(createAuditStore(db), clock, observe),
      configured: configuredModes(config.mode === 'production', config.rules),
      digest: createDigest(guardKey),
      clock,
      observe,
    });
    try {
      await work(control);
    } catch (error) {
      throw error instanceof Problem ? new StartError(error.message) : error;
    }
  });
  return 0;
}

export const guardRules = () =>
  withGuardControl(async (control) => {
    const rules = await control.rules();
    table([
      ['rule', 'mode', 'configured', 'refused 24h', 'shadow 24h', 'changed by'],
      ...rules.map(({ rule, mode, configuredMode, refused, shadow, changedBy }) => [
        rule,
        mode,
        configuredMode,
        refused,
        shadow,
        changedBy,
      ]),
    ]);
  });

export const guardMode = (rule: string, mode: string) =>
  withGuardControl(async (control) => {
    const name = findRule(rule);
    if (!name) throw new StartError(`There is no rule ${rule}. The rules are ${ruleNames.join(', ')}.`);
    const known = ruleModes.find((one) => one === mode);
    if (!known && mode !== 'configured') {
      throw new StartError(`There is no mode ${mode}. The modes are ${ruleModes.join(', ')}, configured.`);
    }
    await control.setMode(commandLineActor(), name, known);
    console.log(`${name} is ${known ?? 'as configured'}.`);
  });

export const guardBlocks = () =>
  withGuardControl(async (control) => {
    const blocks = await control.blocks();
    table([
      ['block', 'rule', 'whom', 'until'],
      ...blocks.map(({ id, rule, subject, userIds, until }) => [
        id,
        rule,
        userIds ? `${subject} for users ${userIds.join(', ')}` : subject,
        until.toISOString(),
      ]),
    ]);
  });

/** A block by its id, a phone by its number, or an address. */
export const guardLift = (what: string) =>
  withGuardControl(async (control) => {
    const phone = parsePhoneNumber(what);
    const address = plainAddress(what);
    const block = phone || address ? undefined : what;
    const lifted = await control.lift(commandLineActor(), { block, userId: undefined, phone, address });
    console.log(`Lifted ${lifted}.`);
  });

export const guardSafeList = (options: { add?: string; addPrefix?: string; remove?: string }) =>
  withGuardControl(async (control) => {
    if (options.add !== undefined) {
      const phone = parsePhoneNumber(options.add);
      if (!phone) throw new StartError('--add takes a phone number in E.164 format, such as +447400123456.');
      await control.addSafe(commandLineActor(), { phone });
    }
    if (options.addPrefix !== undefined) {
      if (!/^\+[1-9]\d{2,8}$/.test(options.addPrefix)) throw new StartError('--add-prefix takes + and 3 to 9 digits.');
      await control.addSafe(commandLineActor(), { prefix: options.addPrefix });
    }
    if (options.remove !== undefined) await control.removeSafe(commandLineActor(), options.remove);
    const entries = await control.safeList();
    table([
      ['entry', 'numbers', 'added', 'by'],
      ...entries.map(({ id, label, isPrefix, addedAt, addedBy }) => [
        id,
        isPrefix ? `${label}…` : label,
        addedAt.toISOString(),
        addedBy,
      ]),
    ]);
  });

export const guardDecisions = (options: { rule?: string; shadow?: boolean; user?: string; count: string }) =>
  withGuardControl(async (control) => {
    const number = (name: string, value: string, limit: number) => {
      const read = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : 0;
      if (read < 1 || read > limit) throw new StartError(`${name} must be an integer from 1 to ${limit}.`);
      return read;
    };
    const decisions = await control.decisions({
      rule: options.rule,
      action: options.shadow ? 'shadow' : undefined,
      userId: options.user === undefined ? undefined : number('--user', options.user, 2_147_483_647),
      before: undefined,
      limit: number('--count', options.count, 500),
    });
    table([
      ['time', 'rule', 'action', 'operation', 'user', 'phone', 'country', 'source', 'evidence'],
      ...decisions.map((one) => [
        one.at.toISOString(),
        one.rule,
        one.action,
        one.operation,
        one.userId,
        one.phone,
        one.country,
        one.source,
        one.evidence,
      ]),
    ]);
  });

export const guardActions = () =>
  withGuardControl(async (control) => {
    const actions = await control.actions({ limit: 100 });
    table([
      ['time', 'who', 'client', 'action', 'target', 'detail'],
      ...actions.map(({ at, subject, client, action, target, detail }) => [
        at.toISOString(),
        subject,
        client,
        action,
        target,
        detail,
      ]),
    ]);
  });
