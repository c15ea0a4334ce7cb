/** The names of what a message can be, and of how it can be sent. */

export const stateNames: Readonly<Record<string, string>> = {
  stopped: 'Refused by a rule',
  unavailable: 'Not sent',
  refused: 'Number refused',
  unknown: 'Not confirmed',
  accepted: 'Accepted',
  delivered: 'Delivered',
  failed: 'Not delivered',
  verified: 'Verified',
  expired: 'Expired unused',
};

export const channelNames = { sms: 'SMS', whatsapp: 'WhatsApp', voice: 'Call' };
