/** Says why the documents of a token issuer could not be fetched, and what to do. */
import { explainTlsFailure } from '../network/tls-failure.ts';

interface IssuerFailure {
  cause: string;
  cure: string;
}

const explanations: { codes: RegExp; cause: string; cure: string }[] = [
  { codes: /^(ENOTFOUND|EAI_AGAIN)$/, cause: 'its host name does not resolve', cure: 'Check LEDGERLINE_ISSUER.' },
  {
    codes: /^(ECONN|EHOST|ENET|ETIMEDOUT|UND_ERR_CONNECT|TimeoutError)/,
    cause: 'nothing answers there',
    cure: 'Check LEDGERLINE_ISSUER, and that this machine may reach it.',
  },
  { codes: /redirect/i, cause: 'it redirects', cure: 'Set LEDGERLINE_JWKS_URL to where the keys really are.' },
];

/** The message of `fetch` is only "fetch failed"; the reason is in its cause. */
export function explainIssuerFailure(error: unknown): IssuerFailure {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  const code = cause?.code ?? (name === 'TimeoutError' ? name : (cause?.message ?? message));
  const known = (cause?.code && explainTlsFailure(cause)) || explanations.find(({ codes }) => codes.test(code));
  if (known) return { cause: `${known.cause} (${code})`, cure: known.cure };
  return { cause: code, cure: 'Check LEDGERLINE_ISSUER and LEDGERLINE_JWKS_URL.' };
}
