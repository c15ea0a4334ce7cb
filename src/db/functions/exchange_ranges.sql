-- Adds the counts of one process for ranges of numbers, and returns the sums of all processes. `changes` is `[{"name",
-- "hourSends", ..., "refusal": {"at", "since", "shrinks", "limitedUntil"}}, ...]`. Sums fade with time.
create or replace function exchange_ranges(changes jsonb, called_at timestamptz) returns setof guard_ranges
language sql as $$
  insert into guard_ranges as r (
    name, summed_at, hour_sends, hour_verified, day_sends, unverified, delivered, failed, normal_sends,
    normal_verified, shrinks, refused_at, limited_until)
  select c.name, called_at, c."hourSends", c."hourVerified", c."daySends", c.unverified,
    c.delivered, c.failed, c."normalSends", c."normalVerified",
    coalesce((k.refusal ->> 'shrinks')::smallint, 0), (k.refusal ->> 'at')::timestamptz,
    (k.refusal ->> 'limitedUntil')::timestamptz
  from jsonb_to_recordset(changes) as c (
    name text, "hourSends" double precision, "hourVerified" double precision, "daySends" double precision,
    unverified double precision, delivered double precision, failed double precision, "normalSends" double precision,
    "normalVerified" double precision, refusal jsonb),
    -- A refusal counts if the process knew of the latest one. Another process may have refused since, or an operator
    -- may have lifted the range; the process learns it from the result.
    lateral (select case
      when not exists (
        select from guard_ranges g
        where g.name = c.name and g.refused_at > coalesce((c.refusal ->> 'since')::timestamptz, '-infinity'))
      then c.refusal end as refusal) k
  -- In the same order in every process, so that there is no deadlock.
  order by c.name
  on conflict (name) do update set
    -- A node whose clock is behind must not make the sums fade once more with each exchange of the others. A clock that
    -- was further ahead is not waited for.
    summed_at = case when r.summed_at between excluded.summed_at and excluded.summed_at + interval '90 minutes'
      then r.summed_at else excluded.summed_at end,
    hour_sends = fade(r.hour_sends, r.summed_at, excluded.summed_at, 3600) + excluded.hour_sends,
    hour_verified = fade(r.hour_verified, r.summed_at, excluded.summed_at, 3600) + excluded.hour_verified,
    day_sends = fade(r.day_sends, r.summed_at, excluded.summed_at, 86400) + excluded.day_sends,
    -- Verified codes explain earlier sends, never later ones.
    unverified = greatest(0, fade(r.unverified, r.summed_at, excluded.summed_at, 86400) + excluded.unverified),
    delivered = fade(r.delivered, r.summed_at, excluded.summed_at, 86400) + excluded.delivered,
    failed = fade(r.failed, r.summed_at, excluded.summed_at, 86400) + excluded.failed,
    normal_sends = fade(r.normal_sends, r.summed_at, excluded.summed_at, 1209600) + excluded.normal_sends,
    normal_verified = fade(r.normal_verified, r.summed_at, excluded.summed_at, 1209600) + excluded.normal_verified,
    shrinks = case when excluded.refused_at is not null then excluded.shrinks else r.shrinks end,
    refused_at = greatest(r.refused_at, excluded.refused_at),
    limited_until = coalesce(excluded.limited_until, r.limited_until)
  returning r.*
$$;

-- A sum after it has faded. A sum close to zero becomes zero, so that it does not underflow.
create or replace function fade(
  value double precision, summed_at timestamptz, called_at timestamptz, span_seconds double precision
) returns double precision
language sql immutable as $$
  select case
    when value < 1e-6 then 0
    else value * exp(-least(40, greatest(0, extract(epoch from called_at - summed_at)::double precision) / span_seconds))
  end
$$;
