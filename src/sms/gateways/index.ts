/** The list of all gateways. A new one is added here; docs/how-to-add-a-gateway.md shows how it is written. */
import type { Merged } from '../../formats/setting-kinds.ts';
import type { CodeChannel } from '../channels.ts';
import { channelsOf } from '../define-gateway.ts';
import { aws } from './aws.ts';
import { consoleGateway } from './console.ts';
import { inbox } from './inbox.ts';
import { infobip } from './infobip.ts';
import { messageBird } from './messagebird.ts';
import { smpp } from './smpp.ts';
import { twilio } from './twilio.ts';
import { twilioVoice } from './twilio-voice.ts';
import { vonage } from './vonage.ts';
import { vonageVoice } from './vonage-voice.ts';
import { webhook } from './webhook.ts';
import { whatsapp } from './whatsapp.ts';

export const gatewayDefinitions = [
  twilio,
  vonage,
  infobip,
  messageBird,
  aws,
  webhook,
  twilioVoice,
  vonageVoice,
  whatsapp,
  smpp,
  consoleGateway,
  inbox,
] as const;

type Definition = (typeof gatewayDefinitions)[number];

export type GatewayName = Definition['name'];

/** The settings of all gateways, by name. */
export const gatewaySettings = Object.assign({}, ...gatewayDefinitions.map(({ settings }) => settings)) as Merged<
  Definition['settings']
>;

/** The base URLs of the gateways whose API is at the same address for every account. */
export const gatewayBaseUrls: ReadonlyMap<string, string> = new Map(
  gatewayDefinitions.flatMap(({ name, baseUrl }) => (baseUrl === undefined ? [] : [[name, baseUrl]])),
);

export const gatewayNames: readonly GatewayName[] = gatewayDefinitions.map(({ name }) => name);

/** The channels of each gateway. */
export const gatewayChannels: ReadonlyMap<string, readonly CodeChannel[]> = new Map(
  gatewayDefinitions.map((definition) => [definition.name, channelsOf(definition)]),
);
