/** The statements about webhook endpoints and their secrets. */
import { array, type Database, type DatabaseTransaction } from '../../db/database.ts';
import { callRecordAction } from '../../db/record-action.ts';
import type { Operator, OperatorActionName } from '../../audit/operator-actions.ts';
import type { Owner } from '../../sharing/slots.ts';

export interface Endpoint {
  id: number;
  url: string;
  /** Empty for all. */
  types: string[];
  description: string | null;
  enabled: boolean;
  disabledReason: string | null;
  createdAt: Date;
}

export interface EndpointHealth extends Endpoint {
  failingSince: Date | null;
  /** Whether something was sent to it, as far as deliveries are kept. */
  isTried: boolean;
  /** Counted up to 1,000. */
  due: number;
  oldestDueAt: Date | null;
}

export interface NewEndpoint {
  id: number;
  url: string;
  types: readonly string[];
  description: string | null;
  sealedSecret: Buffer;
}

/** Members that are not given are not changed. */
export interface EndpointChange {
  url?: string | undefined;
  types?: readonly string[] | undefined;
  description?: string | undefined;
}

/** Who changes an endpoint, and when, for the audit. */
export interface AuditedChange {
  who: Operator;
  now: Date;
}

export interface Rotation {
  sealed: Buffer;
  /** When the other secrets expire. */
  othersUntil: Date;
  /** The number of other secrets that are kept. */
  kept: number;
}

export interface SealedSecret {
  id: number;
  endpointId: number;
  sealed: Buffer;
}

/** What the dispatcher needs to know before it sends. */
export interface DeliveryTarget {
  url: string;
  failingSince: Date | null;
  secrets: SealedSecret[];
}

export type EndpointsStore = ReturnType<typeof createEndpointsStore>;

const columns = `id, url, to_json(types) as types, description, enabled, disabled_reason as "disabledReason",
  created_at as "createdAt"`;

export function createEndpointsStore(db: Database) {
  return {
    async nextId(): Promise<number> {
      const [row] = await db.write`select nextval('webhook_endpoint_ids')::int as id`;
      return row!.id;
    },

    /** Undefined if the maximum number of endpoints is reached. */
    async insert(endpoint: NewEndpoint, limit: number, { who, now }: AuditedChange): Promise<Endpoint | undefined> {
      return db.transaction(async (sql) => {
        // Parallel calls wait here, so that they cannot exceed the limit together.
        await sql`select from event_log for update`;
        const [row] = await sql.unsafe<Endpoint[]>(
          `insert into webhook_endpoints (id, url, types, description, created_at)
           select $1::int, $2, $3::text[], $4, $5::timestamptz
           where (select count(*) from webhook_endpoints) < $6::int
           returning ${columns}`,
          [endpoint.id, endpoint.url, array(endpoint.types), endpoint.description, now, limit],
        );
        if (!row) return undefined;
        await sql`insert into webhook_leases (endpoint_id) values (${endpoint.id})`;
        await insertSecret(sql, endpoint.id, endpoint.sealedSecret);
        await recordChange(sql, 'create-webhook-endpoint', endpoint.id, { who, now });
        return row;
      });
    },

    async list(): Promise<Endpoint[]> {
      return db.read.unsafe<Endpoint[]>(`select ${columns} from webhook_endpoints order by id`, [], { prepare: true });
    },

    async listHealth(owner: Owner): Promise<EndpointHealth[]> {
      const statement = `
        select e.*, l.failing_since as "failingSince",
          l.failing_since is not null or exists (
            select from webhook_deliveries w where w.endpoint_id = e.id and w.state in ('delivered', 'failed')
          ) as "isTried",
          d.due, d.oldest_due_at as "oldestDueAt"
        from (select ${columns} from webhook_endpoints) e
        left join webhook_leases l on l.endpoint_id = e.id
        cross join lateral (
          select count(*)::int as due, min(x.due_at) as oldest_due_at
          from (
            select w.due_at from webhook_deliveries w where w.endpoint_id = e.id and w.state = 'due' and e.enabled
            order by w.due_at limit 1000
          ) x
        ) d
        order by e.id`;
      return db.long((sql) => sql.unsafe<EndpointHealth[]>(statement), owner);
    },

    async find(id: number): Promise<Endpoint | undefined> {
      const statement = `select ${columns} from webhook_endpoints where id = $1`;
      const [endpoint] = await db.read.unsafe<Endpoint[]>(statement, [id], { prepare: true });
      return endpoint;
    },

    /** A new URL resets the record of failures. */
    async update(
      id: number,
      { url, types, description }: EndpointChange,
      change: AuditedChange,
    ): Promise<Endpoint | undefined> {
      return db.transaction(async (sql) => {
        if (url !== undefined) await healLease(sql, id);
        const [row] = await sql.unsafe<Endpoint[]>(
          `update webhook_endpoints set
             url = coalesce($2, url), types = coalesce($3::text[], types),
             description = case when $4::text is null then description else nullif($4, '') end
           where id = $1 returning ${columns}`,
          [id, url ?? null, types ? array(types) : null, description ?? null],
        );
        if (row) await recordChange(sql, 'update-webhook-endpoint', id, change);
        return row;
      });
    },

    async enable(id: number, change: AuditedChange): Promise<void> {
      await db.transaction(async (sql) => {
        await healLease(sql, id);
        const [row] = await sql`
          update webhook_endpoints set enabled = true, disabled_reason = null where id = ${id} and not enabled
          returning id`;
        if (row) await recordChange(sql, 'enable-webhook-endpoint', id, change);
      });
    },

    /** By request. A dispatcher disables with the outcomes of its tries: see mark_deliveries. */
    async disable(id: number, change: AuditedChange): Promise<void> {
      await db.transaction(async (sql) => {
        await lockLease(sql, id);
        const [row] = await sql`select from webhook_endpoints where id = ${id} and enabled for update`;
        if (!row) return;
        await sql`select disable_endpoint(${id}, 'request', ${change.now})`;
        await recordChange(sql, 'disable-webhook-endpoint', id, change);
      });
    },

    /** Its deliveries are deleted in batches; without their endpoint they are not visible. */
    async remove(id: number, change: AuditedChange): Promise<boolean> {
      return db.transaction(async (sql) => {
        await lockLease(sql, id);
        const [row] = await sql`
          with secrets as (delete from webhook_secrets where endpoint_id = ${id}),
            lease as (delete from webhook_leases where endpoint_id = ${id})
          delete from webhook_endpoints where id = ${id} returning id`;
        if (row) await recordChange(sql, 'delete-webhook-endpoint', id, change);
        return row !== undefined;
      });
    },

    /**
     * The new secret is valid immediately. The newest `kept` of the other secrets expire by `othersUntil`; older ones
     * are deleted.
     */
    async rotateSecret(id: number, { sealed, othersUntil, kept }: Rotation, change: AuditedChange): Promise<boolean> {
      return db.transaction(async (sql) => {
        const [row] = await sql`select from webhook_endpoints where id = ${id} for update`;
        if (!row) return false;
        await sql`
          update webhook_secrets set expires_at = least(expires_at, ${othersUntil}) where endpoint_id = ${id}`;
        await sql`
          delete from webhook_secrets where id in (
            select id from webhook_secrets where endpoint_id = ${id} order by id desc offset ${kept}
          )`;
        await insertSecret(sql, id, sealed);
        await recordChange(sql, 'rotate-webhook-secret', id, change);
        return true;
      });
    },

    /** Undefined if the endpoint was deleted or is disabled. The newest secret comes first. */
    async readTarget(id: number, now: Date): Promise<DeliveryTarget | undefined> {
      const rows = await db.read`
        select e.url, l.failing_since, s.id, s.sealed
        from webhook_endpoints e
        join webhook_leases l on l.endpoint_id = e.id
        join webhook_secrets s on s.endpoint_id = e.id and (s.expires_at is null or s.expires_at > ${now})
        where e.id = ${id} and e.enabled order by s.id desc`;
      const [first] = rows;
      if (!first) return undefined;
      const secrets = rows.map(({ id: secretId, sealed }) => ({ id: secretId, endpointId: id, sealed }));
      return { url: first.url, failingSince: first.failing_since, secrets };
    },

    /** The current secrets of an endpoint, even if it is disabled, newest first. */
    async readSecrets(id: number, now: Date): Promise<SealedSecret[]> {
      return db.read<SealedSecret[]>`
        select id, endpoint_id as "endpointId", sealed from webhook_secrets
        where endpoint_id = ${id} and (expires_at is null or expires_at > ${now}) order by id desc`;
    },

    async readAllSecrets(): Promise<SealedSecret[]> {
      return db.read<SealedSecret[]>`select id, endpoint_id as "endpointId", sealed from webhook_secrets`;
    },

    async replaceSealed({ id, sealed: before }: SealedSecret, sealed: Buffer): Promise<void> {
      await db.write`update webhook_secrets set sealed = ${sealed} where id = ${id} and sealed = ${before}`;
    },

    /** Those that a rotation locks are left for the next time: it locks them in another order. */
    async removeExpiredSecrets(now: Date): Promise<void> {
      await db.write`
        delete from webhook_secrets where id in (
          select id from webhook_secrets where expires_at <= ${now} for update skip locked
        )`;
    },
  };
}

/** Records who changed an endpoint, in the transaction of the change. Call it last. */
export async function recordChange(
  sql: DatabaseTransaction,
  action: OperatorActionName,
  endpointId: number,
  { who, now }: AuditedChange,
): Promise<void> {
  await sql`select ${callRecordAction(sql, { who, now, action, target: `webhook endpoint ${endpointId}` })}`;
}

/**
 * Every statement locks the lease of an endpoint before the endpoint, as mark_deliveries does, to avoid deadlocks. A
 * separate statement: what the `with` of a statement changes is changed after its rows.
 */
async function lockLease(sql: DatabaseTransaction, endpointId: number): Promise<void> {
  await sql`select from webhook_leases where endpoint_id = ${endpointId} for update`;
}

/** Resets the record of failures, and locks the lease: see lockLease. */
async function healLease(sql: DatabaseTransaction, endpointId: number): Promise<void> {
  await sql`update webhook_leases set failing_since = null where endpoint_id = ${endpointId}`;
}

async function insertSecret(sql: DatabaseTransaction, endpointId: number, sealed: Buffer): Promise<void> {
  await sql`insert into webhook_secrets (endpoint_id, sealed) values (${endpointId}, ${sealed})`;
}
