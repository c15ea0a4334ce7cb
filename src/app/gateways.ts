/** From settings to the gateways they name. */
import { gatewaysIn } from '../config/check.ts';
import type { Config } from '../config/load.ts';
import type { GatewayName } from '../config/settings/gateways.ts';
import { aws } from '../sms/gateways/aws.ts';
import { ConsoleGateway } from '../sms/gateways/console.ts';
import type { Gateway, Receipt } from '../sms/gateway.ts';
import type { Inbox } from '../sms/gateways/inbox.ts';
import { infobip } from '../sms/gateways/infobip.ts';
import { messageBird } from '../sms/gateways/messagebird.ts';
import { senderOf } from '../sms/senders.ts';
import { smpp } from '../sms/gateways/smpp.ts';
import { twilio } from '../sms/gateways/twilio.ts';
import { vonage } from '../sms/gateways/vonage.ts';
import { webhook } from '../sms/gateways/webhook.ts';

export interface GatewayParts {
  config: Config;
  inbox: Inbox;
  terminal(text: string): void;
  /** Receipts of a gateway that has a connection of its own. */
  onReceipt(receipt: Receipt): void;
}

const receiptsPath = (gateway: string) => `/gateways/${gateway}/receipts`;

export function createGateways(parts: GatewayParts): Gateway[] {
  return gatewaysIn(parts.config).map((name) => create(name, parts));
}

function create(name: GatewayName, { config, inbox, terminal, onReceipt }: GatewayParts): Gateway {
  const sender = senderOf(name, config.senders, config.sender);
  // Gateways can only call an address that is ours for certain.
  const { publicUrl } = config;
  const callbackUrl = publicUrl
    ? (reference: string) => `${publicUrl}${receiptsPath(name)}?message=${reference}`
    : undefined;
  // Signatures are about the real time, whatever the sandbox's clock shows.
  const now = () => new Date();
  switch (name) {
    case 'twilio':
      return twilio({
        url: config.twilioUrl,
        accountSid: config.twilioAccount!,
        authToken: config.twilioToken!,
        messagingServiceSid: config.twilioService,
        sender,
        callbackUrl,
      });
    case 'vonage':
      return vonage({
        url: config.vonageUrl,
        apiKey: config.vonageKey!,
        apiSecret: config.vonageSecret!,
        signatureSecret: config.vonageSignatureSecret,
        signature: config.vonageSignature,
        sender,
        callbackUrl,
        now,
      });
    case 'infobip':
      return infobip({ url: config.infobipUrl!, apiKey: config.infobipKey!, sender, callbackUrl });
    case 'messagebird':
      return messageBird({
        url: config.messagebirdUrl,
        accessKey: config.messagebirdKey!,
        signingKey: config.messagebirdSigningKey,
        sender,
        callbackUrl,
        now,
      });
    case 'aws':
      return aws({
        url: config.awsUrl ?? `https://sms-voice.${config.awsRegion!}.amazonaws.com`,
        region: config.awsRegion!,
        credentials: {
          accessKeyId: config.awsKeyId!,
          secretAccessKey: config.awsSecret!,
          sessionToken: config.awsSessionToken,
        },
        configurationSet: config.awsConfigurationSet,
        topic: config.awsTopic
          ? { arn: config.awsTopic, url: `https://sns.${config.awsRegion!}.amazonaws.com` }
          : undefined,
        sender,
        now,
      });
    case 'webhook':
      return webhook({ url: config.webhookUrl!, secret: config.webhookSecret!, sender, callbackUrl, now });
    case 'smpp':
      return smpp({
        url: config.smppUrl!,
        password: config.smppPassword!,
        systemType: config.smppSystemType,
        window: config.smppWindow,
        sender,
        onReceipt,
      });
    case 'console':
      return new ConsoleGateway(terminal);
    case 'inbox':
      return inbox;
  }
}
