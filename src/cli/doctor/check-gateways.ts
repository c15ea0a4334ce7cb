/** The SMS gateways: an authenticated call that sends nothing, where the gateway has one. */
import { createGateways } from '../../app/gateways.ts';
import type { Config } from '../../config/load.ts';
import type { Gateway } from '../../sms/gateway.ts';
import { okFinding, problemFinding, type Finding } from './finding.ts';

export async function checkGateways(config: Config): Promise<Finding[]> {
  const gateways = createGateways({
    config,
    inbox: { keep: async () => {} },
    terminal: () => {},
    onReceipt: () => {},
    onLink: () => {},
  });
  try {
    return await Promise.all(gateways.map((gateway) => checkGateway(gateway, config.gatewaySeconds * 1000)));
  } finally {
    for (const gateway of gateways) await gateway.close?.();
  }
}

async function checkGateway(gateway: Gateway, withinMilliseconds: number): Promise<Finding> {
  const name = `Gateway ${gateway.name}`;
  if (!gateway.check) return okFinding(name, 'configured; it has no way to be asked without sending');
  const answer = await gateway.check(withinMilliseconds);
  return answer.isUsable
    ? okFinding(name, 'reached, and it accepts our credentials')
    : problemFinding(
        name,
        `${answer.reason}.`,
        answer.cure ?? 'Check its settings (docs/gateways.md) and that this machine may reach it.',
      );
}
