/** Says why a gateway that was checked could not be connected to. */
import { explainTlsFailure } from '../network/tls-failure.ts';
import type { CheckAnswer } from './gateway.ts';

/** `error` has the code of the failure; `otherwise` is said if it is not about the certificate. */
export function explainConnection(error: unknown, reason: string, otherwise: string): CheckAnswer {
  const tls = explainTlsFailure(error);
  return { isUsable: false, reason: `${tls?.cause ?? otherwise} (${reason})`, ...(tls && { cure: tls.cure }) };
}
