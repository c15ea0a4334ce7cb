/** What Vonage's texts and calls have in common: the secret that signs receipts. */
import { setting, word, type Kind } from '../formats/setting-kinds.ts';

export interface VonageSignature {
  /** Of the receipts of texts. Those of calls are always signed with SHA-256 HMAC. */
  method: string;
  secret: string;
}

const signatureSecret: Kind<VonageSignature> = {
  form: 'text without spaces, with md5hash:, md5:, sha1:, sha256: or sha512: before it',
  parse(value) {
    const [, method = 'sha256', secret = ''] = /^(?:(md5hash|md5|sha1|sha256|sha512):)?(.*)$/s.exec(value) ?? [];
    return { method, secret: word.parse(secret) };
  },
};

export const vonageSignatureSettings = {
  vonageSignature: setting<VonageSignature | undefined>({
    env: 'LEDGERLINE_VONAGE_SIGNATURE_SECRET',
    kind: signatureSecret,
    default: undefined,
    secret: true,
    about:
      'Vonage: the signature secret, if the account signs its webhooks. If it does not sign with SHA-256 HMAC, write the method before the secret, such as `sha512:SECRET`.',
  }),
};
