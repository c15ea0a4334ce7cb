/** The identity provider of the operators, as the service wrote it into the page, and its answer in the address. */

export interface IssuerSettings {
  issuer: string;
  clientId: string;
  audience: string;
}

/** Undefined if none is configured. */
export function issuerSettings(): IssuerSettings | undefined {
  const { issuer, client, audience = '' } = document.documentElement.dataset;
  return issuer && client ? { issuer, clientId: client, audience } : undefined;
}

/** Whether the page was loaded with the answer of the provider. */
export function hasAnswer(): boolean {
  const answer = new URL(location.href).searchParams;
  return answer.has('state') && (answer.has('code') || answer.has('error'));
}
