/** WebOTP: the browser reads the code out of the text message, if the message names this origin. */

interface OtpCredential {
  code?: string;
}

export function receiveCode(onCode: (code: string) => void): () => void {
  const controller = new AbortController();
  if ('OTPCredential' in window) {
    const options = { otp: { transport: ['sms'] }, signal: controller.signal } as CredentialRequestOptions;
    // It is rejected when the person declines or the form is removed; the code can still be typed.
    navigator.credentials.get(options).then(
      (credential) => {
        const { code } = (credential ?? {}) as OtpCredential;
        if (code && !controller.signal.aborted) onCode(code);
      },
      () => undefined,
    );
  }
  return () => controller.abort();
}
