/** What an answer means, and when the next try is due: Standard Webhooks 1.0, "Deliverability and reliability". */

/** Seconds before each try, after the one before it. */
const delaySeconds = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
const jitterShare = 0.2;
const longestRetryAfterSeconds = 3600;

/** An endpoint is disabled if it has failed for this long since its last success. */
const failingSeconds = 5 * 86_400;

export interface WebhookAnswer {
  status?: number | undefined;
  error?: string | undefined;
}

export type AnswerVerdict = 'delivered' | 'gone' | 'failed';

export function judgeAnswer({ status }: WebhookAnswer): AnswerVerdict {
  if (status !== undefined && status >= 200 && status < 300) return 'delivered';
  return status === 410 ? 'gone' : 'failed';
}

/** Why a try failed, for the log of deliveries. */
export function failureOf({ status, error }: WebhookAnswer): string {
  if (status === undefined) return error ?? 'No answer.';
  const isRedirect = status >= 300 && status < 400;
  return isRedirect
    ? `The receiver answered ${status}; redirects are not followed.`
    : `The receiver answered ${status}.`;
}

/** Seconds until the next try after `attempts` tries; undefined if there is no further try. `random` is from 0 to 1. */
export function nextTrySeconds(
  attempts: number,
  random: number,
  retryAfterSeconds: number | undefined,
): number | undefined {
  const delay = delaySeconds[attempts];
  if (delay === undefined) return undefined;
  const asked = Math.min(retryAfterSeconds ?? 0, longestRetryAfterSeconds);
  return Math.max(delay * (1 + jitterShare * random), asked);
}

export interface Health {
  /** The first failure since the last success. */
  failingSince: Date | null;
  /** Set when the endpoint is to be disabled. */
  disableReason: 'gone' | 'failing' | undefined;
}

export function healthAfter(verdict: AnswerVerdict, failingSince: Date | null, now: Date): Health {
  if (verdict === 'delivered') return { failingSince: null, disableReason: undefined };
  if (verdict === 'gone') return { failingSince: failingSince ?? now, disableReason: 'gone' };
  const isTooLong = failingSince !== null && now.getTime() - failingSince.getTime() >= failingSeconds * 1000;
  return { failingSince: failingSince ?? now, disableReason: isTooLong ? 'failing' : undefined };
}
