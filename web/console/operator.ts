/** What the console asks the service, and what it is told. */
import { createTransport, type Call, type Transport } from '../../client/transport.ts';
import type { TokenSource } from '../../client/index.ts';

export interface OverviewDay {
  day: string;
  country: string | null;
  gateway: string;
  sent: number;
  accepted: number;
  delivered: number;
  failed: number;
  verified: number;
  passedOver: number;
}

export interface GatewayHealth {
  gateway: string;
  breaker: 'closed' | 'open' | 'probing';
  reason?: string;
  probeInSeconds?: number;
}

export interface Overview {
  days: OverviewDay[];
  configuredOrder: string[];
  gateways: GatewayHealth[];
  orders: { country: string | null; order: string[]; reasons: string[]; since: string }[];
}

export interface TrailTry {
  gateway: string;
  outcome: string;
  reason?: string;
  maybeSent?: boolean;
  milliseconds: number;
}

export interface TrailMessage {
  number: number;
  phoneNumber: string;
  country: string | null;
  gateway: string;
  outcome: string;
  state: string;
  reason: string | null;
  requestedAt: string;
  answeredAt: string;
  stateAt: string;
  expiresAt: string;
  verifiedAt: string | null;
  tries: TrailTry[];
}

export interface TrailEvent {
  at: string;
  kind: string;
  reason: string | null;
  times: number;
}

export interface Trail {
  id: number;
  messages: TrailMessage[];
  events: TrailEvent[];
}

export type RuleMode = 'off' | 'shadow' | 'enforce';

export interface GuardRule {
  rule: string;
  about: string;
  mode: RuleMode;
  configuredMode: RuleMode;
  changedAt: string | null;
  changedBy: string | null;
  refused: number;
  shadow: number;
}

export interface GuardBlock {
  id: string;
  rule: string;
  subject: string;
  userIds: number[] | null;
  until: string;
}

export interface GuardDecision {
  id: number;
  at: string;
  rule: string;
  action: 'refused' | 'shadow';
  operation: string;
  userId: number;
  phone: string | null;
  country: string | null;
  source: string | null;
}

export interface OperatorAction {
  id: number;
  at: string;
  subject: string;
  client: string;
  action: string;
  target: string;
  detail: string | null;
}

export interface RevealedPhones {
  verifiedPhone: string | null;
  lastSentPhone: string | null;
}

export type Desk = ReturnType<typeof createDesk>;

export function createDesk(token: TokenSource) {
  const transport: Transport = createTransport({ token, retries: 1 });
  const json = async (call: Call): Promise<unknown> => (await transport(call)).json();
  const get = (path: string): Call => ({ method: 'GET', path, repeatable: true });
  const post = (path: string, body?: unknown): Call => ({ method: 'POST', path, body });

  return {
    overview: async (days: number) => (await json(get(`/operator/overview?days=${days}`))) as Overview,
    trail: async (userId: number) => (await json(get(`/operator/users/${userId}/trail`))) as Trail,
    findUsers: async (phoneNumber: string) =>
      ((await json(post('/operator/find-users', { phoneNumber }))) as { userIds: number[] }).userIds,
    revealPhone: async (userId: number) =>
      (await json(post(`/operator/users/${userId}/reveal-phone`))) as RevealedPhones,
    rules: async () => ((await json(get('/operator/guard/rules'))) as { rules: GuardRule[] }).rules,
    blocks: async () => ((await json(get('/operator/guard/blocks'))) as { blocks: GuardBlock[] }).blocks,
    async decisions(query: Record<string, string>): Promise<GuardDecision[]> {
      const path = `/operator/guard/decisions?${new URLSearchParams(query)}`;
      return ((await json(get(path))) as { decisions: GuardDecision[] }).decisions;
    },
    actions: async () => ((await json(get('/operator/actions?count=50'))) as { actions: OperatorAction[] }).actions,
    async setMode(rule: string, mode: RuleMode | 'configured'): Promise<void> {
      await transport(post('/operator/guard/mode', { rule, mode }));
    },
    async lift(block: string): Promise<void> {
      await transport(post('/operator/guard/lift', { block }));
    },
  };
}
