/** Settings that work but have a risk: the service warns about them at the start, and so does `ledgerline doctor`. */
import { parseAddress } from '../db/sessions/address.ts';
import { rulesAgainst, sharedNeeds, type Target } from '../guard/destination.ts';
import { readLimits } from '../guard/limits.ts';
import { configuredModes } from '../guard/rules.ts';
import { isLoopback } from '../network/loopback.ts';
import type { GatewayDefinition } from '../sms/define-gateway.ts';
import { india } from '../sms/dlt.ts';
import { gatewayDefinitions } from '../sms/gateways/index.ts';
import { createMessages } from '../sms/message.ts';
import { gatewaysIn } from './check.ts';
import type { Config } from './load.ts';

export interface Risk {
  setting: string;
  /** What can happen. */
  risk: string;
  /** What to do about it. */
  cure: string;
}

export function findRisks(config: Config): Risk[] {
  return [quiet, plainSmpp, plainPublicUrl, unprotectedDatabase, unregisteredTexts, unaffordableMessages].flatMap(
    (find) => find(config) ?? [],
  );
}

function quiet({ isQuiet }: Config): Risk | undefined {
  if (!isQuiet) return undefined;
  return {
    setting: 'LEDGERLINE_QUIET',
    risk: 'The service is quiet: it sends no text and no webhook. Sends are answered 503, and deliveries stay due.',
    cure: 'Start the service without it when this is no longer a copy to look at.',
  };
}

function plainSmpp(config: Config): Risk | undefined {
  const { smppUrl } = config;
  if (!smppUrl?.startsWith('smpp:') || !gatewaysIn(config).includes('smpp')) return undefined;
  if (isLoopback(new URL(smppUrl).hostname)) return undefined;
  return {
    setting: 'LEDGERLINE_SMPP_URL',
    risk: 'The password and every code go to the SMSC unencrypted.',
    cure: 'Use smpps://, or a VPN or a local TLS proxy if the SMSC has no TLS.',
  };
}

function plainPublicUrl({ mode, publicUrl }: Config): Risk | undefined {
  if (mode !== 'production' || !publicUrl?.startsWith('http:')) return undefined;
  return {
    setting: 'PUBLIC_URL',
    risk: 'Tokens, codes and receipts reach the service unencrypted.',
    cure: 'Put a proxy with TLS in front of the service, and set PUBLIC_URL to its https:// URL.',
  };
}

/** `sslmode=disable` is a decision; `prefer`, the default, is what remains if nobody decided. */
function unprotectedDatabase({ mode, databaseUrl, databaseReadUrl }: Config): Risk[] {
  if (mode !== 'production') return [];
  const urls = { DATABASE_URL: databaseUrl, DATABASE_READ_URL: databaseReadUrl };
  return Object.entries(urls)
    .filter(([, url]) => url !== undefined && isUnprotected(url))
    .map(([setting]) => ({
      setting,
      risk: 'The connection to the database is unencrypted if the server, or somebody in between, offers no TLS.',
      cure: 'Add sslmode=verify-full, or sslmode=disable if the network is private.',
    }));
}

/** Gateways accept a text to India that has no registered ids, and the operators drop it. */
function unregisteredTexts(config: Config): Risk | undefined {
  const { mode, countries = [], gateways } = config;
  // All countries are the default of the sandbox: nobody chose India there.
  const isAllowed = countries.includes(india) || (mode === 'production' && countries.includes('*'));
  if (!isAllowed) return undefined;
  const definitions: readonly GatewayDefinition[] = gatewayDefinitions;
  const used: readonly string[] = gateways?.exceptions.get(india) ?? gateways?.value ?? [];
  const needing = definitions.filter(({ name, needsDltIds }) => needsDltIds && used.includes(name));
  if (needing.length === 0 || createMessages(config).isRegistered(india)) return undefined;
  return {
    setting: 'LEDGERLINE_DLT',
    risk: `Codes may be sent to India, whose operators drop a text without the ids of a registered sender and template: ${needing.map(({ name }) => name).join(', ')} must be given them.`,
    cure: 'Set the entity and the id of each template (docs/gateways.md, "India"), or leave IN out of LEDGERLINE_COUNTRIES.',
  };
}

/** Such as prices in cents: every send is refused, as if the number were not supported. */
function unaffordableMessages(config: Config): Risk | undefined {
  const { mode, rules, countries = [], channels, prices } = config;
  const modes = configuredModes(mode === 'production', rules);
  if (modes.spend !== 'enforce') return undefined;
  const limits = readLimits(config);
  const isUnaffordable = (target: Target) =>
    rulesAgainst(target, limits, modes, false).includes('spend') ||
    sharedNeeds(target, limits, modes, false).some(({ rule, units, cap }) => rule === 'spend' && units > cap);
  const priced = [...prices.keys()].map((name) => name.replace(/^\w+:/, '')).filter((name) => !name.startsWith('+'));
  const names = [...new Set(countries.includes('*') ? [...countries, ...priced] : countries)].flatMap((country) =>
    (channels.get(country) ?? channels.get('*')!)
      .filter((channel) =>
        isUnaffordable({ phoneNumber: { e164: '', country, type: undefined }, channel, segments: 1 }),
      )
      .map((channel) => `${country} (${channel})`),
  );
  if (names.length === 0) return undefined;
  return {
    setting: 'LEDGERLINE_PRICES',
    risk: `No code can be sent to ${names.join(', ')}: the price of a message is above a limit of LEDGERLINE_SPEND.`,
    cure: 'Correct the price, or raise the limit, such as message=2; the default is message=0.5.',
  };
}

function isUnprotected(url: string): boolean {
  const { endpoints, encryption } = parseAddress(url);
  return encryption.mode === 'preferred' && endpoints.some(({ host }) => !host.startsWith('/') && !isLoopback(host));
}
