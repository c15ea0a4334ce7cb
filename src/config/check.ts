/** Checks across settings: what a mode needs, and settings that contradict each other. */
import type { Setting } from '../formats/setting-kinds.ts';
import { ConfigError, type Config } from './load.ts';
import { isLoopback } from '../network/loopback.ts';
import type { GatewayDefinition } from '../sms/define-gateway.ts';
import { senderOf } from '../sms/senders.ts';
import type { CodeChannel } from '../sms/channels.ts';
import { gatewayChannels, gatewayDefinitions, type GatewayName } from '../sms/gateways/index.ts';
import { settings } from './settings/index.ts';

/** Checks what a mode and its gateways need. Reports all problems together. */
export function checkMode(config: Config): void {
  const problems = config.mode === 'production' ? missingInProduction(config) : tooOpen(config);
  problems.push(...missingForGateways(config));
  problems.push(...missingForChannels(config), ...missingCallers(config));
  problems.push(...plainHttp(config));
  if (config.metricsPort === config.port && config.port !== 0) {
    problems.push('LEDGERLINE_METRICS_PORT must be another port than PORT.');
  }
  if (config.jwksUrl && !config.issuer) problems.push('LEDGERLINE_JWKS_URL needs LEDGERLINE_ISSUER.');
  if (config.consoleClientId && !config.issuer) problems.push('LEDGERLINE_CONSOLE_CLIENT_ID needs LEDGERLINE_ISSUER.');
  if (problems.length > 0) throw new ConfigError(problems);
}

function plainHttp(config: Config): string[] {
  return Object.entries<Setting<unknown>>(settings).flatMap(([name, { env, httpsOnly }]) => {
    const value = config[name as keyof Config];
    const urls: unknown[] = value instanceof Map ? [...value.values()] : [value];
    const isPlain = (url: unknown) =>
      typeof url === 'string' && url.startsWith('http:') && !isLoopback(new URL(url).hostname);
    return httpsOnly && urls.some(isPlain) ? [`${env} must be https; http is for loopback only.`] : [];
  });
}

function tooOpen({ host, sandboxHosts }: Config): string[] {
  if (isLoopback(host) || sandboxHosts.length > 0) return [];
  return [
    `The sandbox hands out codes and tokens to anyone who can reach it, so it listens on loopback only, not on ${host}. ` +
      'If that is what you want, set LEDGERLINE_SANDBOX_HOSTS to the names by which it is called, such as localhost; or set MODE=production.',
  ];
}

/** Every gateway that a list names. */
export function gatewaysIn(config: Config): GatewayName[] {
  const { value = [], exceptions = new Map<string, GatewayName[]>() } = config.gateways ?? {};
  return [...new Set([...value, ...[...exceptions.values()].flat()])];
}

const definitionOf = (name: GatewayName): GatewayDefinition =>
  gatewayDefinitions.find((definition) => definition.name === name)!;

function missingForGateways(config: Config): string[] {
  return gatewaysIn(config).flatMap((name) => {
    const own = new Set(Object.keys(definitionOf(name).settings));
    const missing = unsetSettings(config)
      .filter(([setting, { requiredBy }]) => own.has(setting) && requiredBy !== undefined)
      .map(([, { env }]) => env);
    return missing.length === 0 ? [] : [`The gateway ${name} needs ${missing.join(' and ')}.`];
  });
}

/** A call comes from a number, and not from a name. */
function missingCallers(config: Config): string[] {
  return gatewaysIn(config)
    .filter((name) => definitionOf(name).channel === 'voice')
    .filter((name) => !/^\+?\d{3,15}$/.test(senderOf(name, config.sender)(undefined)))
    .map((name) => `The gateway ${name} needs a number to call from: LEDGERLINE_SENDER='…; ${name}=+15550001'.`);
}

/** A channel needs a gateway in every country that has it; a gateway that no country uses is a mistake too. */
function missingForChannels(config: Config): string[] {
  const { gateways, channels } = config;
  if (!gateways) return [];
  const { value, exceptions } = gateways;
  const used = new Set<string>();
  const missing = new Set<CodeChannel>();
  for (const country of new Set(['*', ...channels.keys(), ...exceptions.keys()])) {
    const names: readonly string[] = exceptions.get(country) ?? value;
    for (const channel of channels.get(country) ?? channels.get('*')!) {
      const own = names.filter((name) => gatewayChannels.get(name)!.includes(channel));
      if (own.length === 0) missing.add(channel);
      for (const name of own) used.add(name);
    }
  }
  const unused = gatewaysIn(config).filter((name) => !used.has(name));
  return [
    ...[...missing].map(
      (channel) =>
        `LEDGERLINE_CHANNELS names ${channel} for a country without a gateway for it in LEDGERLINE_GATEWAYS.`,
    ),
    ...unused.map((name) => `LEDGERLINE_GATEWAYS names ${name}, whose channel LEDGERLINE_CHANNELS does not name.`),
  ];
}

function unsetSettings(config: Config): [name: string, setting: Setting<unknown>][] {
  return Object.entries<Setting<unknown>>(settings).filter(([name]) => config[name as keyof Config] === undefined);
}

const describeRequired = ({ env, howToSet }: Setting<unknown>) => `Production needs ${env}: ${howToSet}.`;

/** For commands, which need no other setting of production. */
export function checkDatabaseUrl({ mode, databaseUrl }: Config): void {
  if (mode === 'production' && databaseUrl === undefined)
    throw new ConfigError([describeRequired(settings.databaseUrl)]);
}

function missingInProduction(config: Config): string[] {
  const problems: string[] = [];
  if (!config.issuer) {
    const needed = [
      ['PUBLIC_URL', config.publicUrl],
      ['LEDGERLINE_CLIENTS', config.clients],
      ['LEDGERLINE_SIGNING_KEY', config.signingKey],
    ].flatMap(([name, value]) => (value ? [] : [name]));
    if (needed.length > 0) {
      problems.push(
        `Production needs a token issuer: LEDGERLINE_ISSUER for your own, or ${needed.join(', ')} for the embedded one.`,
      );
    }
  }
  if (config.pages.includes('sandbox')) {
    problems.push('LEDGERLINE_PAGES names the page sandbox, which needs the sandbox.');
  }
  problems.push(
    ...unsetSettings(config)
      .filter(([, { requiredBy }]) => requiredBy === 'production')
      .map(([, setting]) => describeRequired(setting)),
  );
  const forDevelopment = gatewayDefinitions.filter(({ sendsNothing }) => sendsNothing).map(({ name }) => name);
  if (!config.gateways || gatewaysIn(config).some((name) => forDevelopment.includes(name))) {
    const others = `others than ${forDevelopment.join(' and ')}`;
    problems.push(`Production needs a gateway that sends: set LEDGERLINE_GATEWAYS to ${others}.`);
  }
  if (config.testNumbers && !config.testNumbersInProduction) {
    problems.push(
      'LEDGERLINE_TEST_NUMBERS gives fixed codes, which production refuses unless LEDGERLINE_TEST_NUMBERS_IN_PRODUCTION=true.',
    );
  }
  if (config.clients?.some(({ id }) => id === 'sandbox')) {
    problems.push('LEDGERLINE_CLIENTS names the client sandbox, which production refuses.');
  }
  return problems;
}
