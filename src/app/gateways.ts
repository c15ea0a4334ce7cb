/** Creates the gateways that the settings name. */
import { gatewaysIn } from '../config/check.ts';
import type { Config } from '../config/load.ts';
import type { GatewayContext, GatewayDefinition } from '../sms/define-gateway.ts';
import type { Gateway, Receipt } from '../sms/gateway.ts';
import { gatewayBaseUrls, gatewayDefinitions, type GatewayName } from '../sms/gateways/index.ts';
import type { Inbox } from '../sms/inbox.ts';
import { senderOf } from '../sms/senders.ts';

interface GatewayParts {
  config: Config;
  inbox: Pick<Inbox, 'keep'>;
  terminal(text: string): void;
  /** Receives the receipts of a gateway that has its own connection. */
  onReceipt(receipt: Receipt): void;
  onLink(gateway: string, isUp: boolean, reason?: string): void;
}

export function createGateways(parts: GatewayParts): Gateway[] {
  const names = gatewaysIn(parts.config);
  const definitions: readonly GatewayDefinition[] = gatewayDefinitions.filter(({ name }) => names.includes(name));
  return definitions.map((definition) =>
    // A definition reads only its own settings, and checkMode has checked that the required ones are present.
    definition.create(parts.config, contextOf(definition.name as GatewayName, parts)),
  );
}

function contextOf(name: GatewayName, { config, inbox, terminal, onReceipt, onLink }: GatewayParts): GatewayContext {
  const { publicUrl } = config;
  return {
    baseUrl: config.gatewayUrls.get(name) ?? gatewayBaseUrls.get(name) ?? '',
    sender: senderOf(name, config.sender),
    callbackUrl: publicUrl ? (reference) => `${publicUrl}/gateways/${name}/receipts?message=${reference}` : undefined,
    now: () => new Date(),
    onReceipt,
    onLink: (isUp, reason) => onLink(name, isUp, reason),
    keepInInbox: (message) => inbox.keep(message),
    writeToTerminal: terminal,
  };
}
