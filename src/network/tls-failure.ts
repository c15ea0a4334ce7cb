/** Says in a sentence why a certificate was refused, and what to do about it. */

export interface TlsFailure {
  cause: string;
  cure: string;
}

/** The error of a refused certificate, as Node reports it. */
interface TlsError {
  code: string;
  /** With ERR_TLS_CERT_ALTNAME_INVALID: the name that was looked for, and the certificate. */
  host?: string;
  cert?: { subjectaltname?: string };
}

const notTrusted = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT)/;

const untrustedByNode: TlsFailure = {
  cause: 'its certificate is not trusted',
  cure: 'Set NODE_EXTRA_CA_CERTS to the certificate of its authority.',
};

/** `untrusted`: what is said about a certificate whose authority is not known here. Undefined for other errors. */
export function explainTlsFailure(error: unknown, untrusted = untrustedByNode): TlsFailure | undefined {
  const { code, host, cert } = error as TlsError;
  if (code === 'CERT_HAS_EXPIRED') {
    return {
      cause: 'its certificate, or that of its authority, has expired',
      cure: 'Renew it there, not here. If it is new, check the clock of this machine.',
    };
  }
  if (code === 'CERT_NOT_YET_VALID') {
    return {
      cause: 'its certificate is not valid yet',
      cure: 'Check the clock of this machine, then that of the server.',
    };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = cert?.subjectaltname
      ? `${cert.subjectaltname}, not for ${host}`
      : host
        ? `another name than ${host}`
        : 'another name';
    return {
      cause: `its certificate is for ${names}`,
      cure: 'Use a name that is in the certificate, or add this one to it.',
    };
  }
  if (/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(code)) {
    return { cause: 'it does not speak TLS on that port', cure: 'Check the port, and whether the URL must be http.' };
  }
  return notTrusted.test(code) ? untrusted : undefined;
}
