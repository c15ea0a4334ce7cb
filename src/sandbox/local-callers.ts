/** The sandbox gives codes and tokens to every caller, so it answers only programs on this machine. */
import { sandboxClosed } from '../errors.ts';
import { isLoopback } from '../network/loopback.ts';

interface LocalCallerOptions {
  /** Host names, in addition to loopback, under which the sandbox may be called. */
  hosts: string[];
  /** Origins whose pages may call the API. */
  corsOrigins: string[];
}

/** The headers of a request. For other headers only their presence is checked. */
interface CallHeaders {
  host?: string | undefined;
  origin?: string | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
}

const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

export function createLocalCallerCheck({ hosts, corsOrigins }: LocalCallerOptions) {
  const known = new Set(hosts.map((host) => host.toLowerCase()));

  /** The reason why a request is refused; undefined if it is not. */
  function objection(headers: CallHeaders): string | undefined {
    // A page whose host name was changed to resolve to this machine (DNS rebinding) still sends that name as Host.
    const name = hostName(headers.host);
    if (!isLoopback(name) && !known.has(name)) {
      return 'The sandbox answers only on loopback; LEDGERLINE_SANDBOX_HOSTS adds names.';
    }
    const { origin, 'sec-fetch-site': site } = headers;
    const own = origin === undefined || origin === `http://${headers.host}` || corsOrigins.includes(origin);
    const near = site === undefined || site === 'same-origin' || site === 'none' || (own && origin !== undefined);
    if (!own || !near) return 'The sandbox does not answer web pages of other origins.';
    const proxied = forwarding.find((header) => header in headers);
    if (proxied) return `The sandbox does not answer requests that were forwarded (${proxied}).`;
    return undefined;
  }

  return function refuseRemote(headers: CallHeaders): void {
    const why = objection(headers);
    if (why) throw sandboxClosed(why);
  };
}

function hostName(header: string | undefined): string {
  const url = `http://${header ?? ''}`;
  return URL.canParse(url) ? new URL(url).hostname : '';
}
