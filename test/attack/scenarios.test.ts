import { expect, it } from 'vitest';
// @ts-expect-error The simulation is plain JavaScript.
import { scenarios, withoutScenario } from '../../attack/scenarios.js';
import { ruleNames } from '../../src/guard/rules.ts';

it('every rule matters to a scenario of the attacker, or has a reason why it is in none', () => {
  const inScenarios = (scenarios as { matters: string[] }[]).flatMap(({ matters }) => matters);
  const named = [...new Set([...inScenarios, ...Object.keys(withoutScenario)])];
  expect(named.toSorted()).toEqual(ruleNames.toSorted());
  expect(Object.keys(withoutScenario).filter((rule) => inScenarios.includes(rule))).toEqual([]);
});
