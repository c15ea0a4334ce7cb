/** What a gateway's file declares: its name, its settings, and how the adapter is made from them. */
import type { RequiredSetting, Setting, SettingValue } from '../formats/setting-kinds.ts';
import { channels, type CodeChannel } from './channels.ts';
import type { Gateway, Message, Receipt } from './gateway.ts';

/** What the service provides to every adapter. */
export interface GatewayContext {
  /** The base URL of the definition, or the one that the settings name instead. */
  baseUrl: string;
  /** The sender for a country: a number, or a name that phones show. */
  sender(country: string | undefined): string;
  /** The URL for receipts of the text with this reference. Undefined if the service cannot be reached from outside. */
  callbackUrl: ((reference: string) => string) | undefined;
  /** The real time, for signatures, whatever the sandbox's clock shows. */
  now(): Date;
  /** Called with receipts that arrive on the gateway's own connection. */
  onReceipt(receipt: Receipt): void;
  /** Reports that the gateway's own connection is established, or why it was lost or refused. */
  onLink(isUp: boolean, reason?: string): void;
  /** Keeps a message for the sandbox's inbox. */
  keepInInbox(message: Message): Promise<void>;
  /** Writes to the terminal, and not to the log. */
  writeToTerminal(text: string): void;
}

// oxlint-disable-next-line no-explicit-any -- settings of any type
type Settings = Record<string, Setting<any>>;

/** A required setting is present when the adapter is made. */
export type GatewayValues<S extends Settings> = {
  [K in keyof S]: S[K] extends RequiredSetting<infer T> ? T : SettingValue<S[K]>;
};

export interface GatewayDefinition<Name extends string = string, S extends Settings = Settings> {
  name: Name;
  /** How it sends; `sms` if not given. */
  channel?: CodeChannel;
  /** For development only: production refuses it. It stands for every channel. */
  sendsNothing?: true;
  /** A text to India needs the ids of LEDGERLINE_DLT in its request; otherwise the gateway keeps them, or needs none. */
  needsDltIds?: true;
  /** The methods by which the gateway calls `/gateways/{name}/receipts`, if it does. */
  receiptMethods?: readonly ('GET' | 'POST')[];
  /** Whether a GET to that path is its check of the URL: then the adapter has `readHandshake`. */
  hasHandshake?: boolean;
  /** Where the API is, if that is the same for every account. */
  baseUrl?: string;
  settings: S;
  create(values: GatewayValues<S>, context: GatewayContext): Gateway;
}

export function defineGateway<const Name extends string, S extends Settings>(
  definition: GatewayDefinition<Name, S>,
): GatewayDefinition<Name, S> {
  return definition;
}

/** The channels of a gateway. */
export function channelsOf({ channel = 'sms', sendsNothing }: Pick<GatewayDefinition, 'channel' | 'sendsNothing'>) {
  return sendsNothing ? channels : [channel];
}
