-- expand: What is decided under locks: a send, an attempt, the use of a code. See docs/decisions/0002-guard.md.
--
-- Each is one call and one transaction. They are functions because a single statement of as many parts costs
-- more to set up than to run; for the same reason they look at a window only when it can be full. All lock what is there in one order: phone, address, token, user, and
-- last what everybody shares. What was not there cannot be locked; it is inserted at the end, in the same
-- order, and who finds it there after all has lost a race: everything is rolled back, and asked for again.

-- The moment that fills a window of so many: the one that many places from the end, if it is still inside.
create function filled_by(moments timestamptz[], most integer, since timestamptz) returns timestamptz
language sql immutable
return case when moments[cardinality(moments) + 1 - most] > since then moments[cardinality(moments) + 1 - most] end;

create function seconds_after(moment timestamptz, seconds integer) returns timestamptz
language sql stable
return moment + make_interval(secs => seconds);

-- A list with a value at its end, of which the last so many are kept.
create function appended(list anyarray, value anyelement, most integer) returns anyarray
language sql immutable as $$ select (list || value)[cardinality(list) + 2 - most :] $$;

-- A list without what stands at a place; all of it where there is no such place.
create function without(list anyarray, place integer) returns anyarray
language sql immutable as $$ select coalesce(list[: place - 1] || list[place + 1 :], list) $$;

-- Where a user's moment stands in a phone's lists; two calls may share it, and then only one goes.
create function place_of(moments timestamptz[], users integer[], moment timestamptz, of_user integer) returns integer
language sql immutable
return (
  select min(x.place) from unnest(moments, users) with ordinality x (at, who, place)
  where x.at = moment and x.who = of_user
)::integer;

-- A phone's sends as they count against one user: of every other user's only the last, half of what the phone
-- may be sent. So nobody can use a phone's budget up for somebody else.
create function sends_against(sends timestamptz[], senders integer[], of_user integer, most integer)
returns timestamptz[]
language sql immutable
return array(
  select x.at
  from (
    select s.at, s.who, s.place, row_number() over (partition by s.who order by s.place desc) as nth
    from unnest(sends, senders) with ordinality s (at, who, place)
  ) x
  where x.who = of_user or x.nth <= (most + 1) / 2
  order by x.place
);

-- Until when failures block, by the two windows from a slot on.
create function blocked_by(
  failures timestamptz[], moment timestamptz, counts integer[], seconds integer[], block_seconds integer[],
  slot integer
) returns timestamptz
language sql stable
return case
  when filled_by(failures, counts[slot + 1], seconds_after(moment, -seconds[slot + 1])) is not null
    then seconds_after(moment, block_seconds[slot + 1])
  when filled_by(failures, counts[slot], seconds_after(moment, -seconds[slot])) is not null then seconds_after(moment, block_seconds[slot])
end;

create function lost_race() returns void
language plpgsql as $$
begin
  raise exception 'lost a race' using errcode = 'serialization_failure';
end $$;

-- A block of a prefix's messages. Below its limit, or while enough of what was sent was verified, it is
-- granted; otherwise the prefix is closed for a while, the longer the more often.
create function lease_prefix(
  wanted text, block integer, most integer, least_percent integer, lasting interval, moment timestamptz,
  out granted boolean, out since timestamptz, out until timestamptz
)
language plpgsql as $$
declare
  held guard_prefixes%rowtype;
  fresh boolean;
  past smallint;
begin
  select * into held from guard_prefixes where prefix = wanted for update;
  if not found then
    insert into guard_prefixes (prefix, window_start, sent) values (wanted, moment, block)
    on conflict (prefix) do nothing;
    if not found then perform lost_race(); end if;
    granted := true;
    since := moment;
    return;
  end if;
  granted := false;
  until := held.blocked_until;
  if until > moment then return; end if;

  fresh := held.window_start <= moment - lasting;
  past := case when held.blocked_until < moment - interval '1 day' then 0 else held.level end;
  granted := fresh or held.verified * 100 >= least_percent * held.sent
    or held.sent + block <= case when past > 0 then (most + 3) / 4 else most end;
  if granted then
    since := case when fresh then moment else held.window_start end;
    update guard_prefixes set
      window_start = since, level = past,
      sent = block + case when fresh then 0 else sent end, verified = case when fresh then 0 else verified end
    where prefix = wanted;
  else
    until := moment + least(interval '30 minutes' * (1 << past), interval '12 hours');
    update guard_prefixes set
      window_start = '-infinity', sent = 0, verified = 0, level = least(past + 1, 6), blocked_until = until
    where prefix = wanted;
  end if;
end $$;
alter table guard_prefixes drop column granted;

-- Counts a send for the user, the phone, the address and the token, or for none, and numbers the code.
-- Slots: 1, 2 user; 3, 4 phone; 5, 6 address; 7, 8 token; 9 phones of the user; 10 users of the phone. A phone
-- that another user holds still draws on the user's budget and the source's, so that nobody can look numbers
-- up for free. For a user who does not exist all is null.
create function reserve_send(
  for_user integer, to_phone text, moment timestamptz, correlation smallint,
  -- Whether it must not go out, whatever the counters say.
  forbidden boolean,
  counts integer[], seconds integer[], enforced boolean[],
  address bytea, address_label text, token bytea, token_label text,
  -- What the process must lease for it: {"prefix": {…}, "budgets": […], "day": …}.
  leases jsonb,
  -- The phone is another user's.
  out other boolean,
  out verified boolean,
  -- The code's number; null when a rule refused.
  out issued integer,
  -- By slot, the moments that fill its window; null when none does.
  out moments json,
  -- Whether it came as far as the leases, and what they brought.
  out leased boolean, out prefix json, out budgets json
)
language plpgsql as $$
declare
  on_phone boolean;
  phone_known boolean;
  phone_sent timestamptz[];
  phone_senders integer[];
  phone_users integer[];
  phone_user_times timestamptz[];
  phone_place integer;
  address_known boolean;
  address_sent timestamptz[];
  token_known boolean;
  token_sent timestamptz[];
  user_known boolean;
  user_sent timestamptz[];
  user_phones text[];
  user_phone_times timestamptz[];
  user_place integer;
  -- By slot.
  filled timestamptz[] := '{null, null, null, null, null, null, null, null, null, null}';
  -- Whether an enforced rule refuses: the user or the source, and the phone.
  refused boolean := false;
  phone_refused boolean := false;
  goes boolean;
begin
  select exists (select from phone_links l where l.phone = to_phone and l.user_id <> for_user)
  into other from users u where u.id = for_user;
  if not found then return; end if;

  on_phone := not other and coalesce(counts[3], counts[4], counts[10]) is not null;
  if on_phone then
    select p.sends, p.senders, p.users, p.user_times
    into phone_sent, phone_senders, phone_users, phone_user_times
    from phone_sends p where p.phone = to_phone for update;
    phone_known := found;
  end if;
  if address is not null then
    select s.sends into address_sent from guard_sources s where s.key = address for update;
    address_known := found;
  end if;
  if token is not null then
    select s.sends into token_sent from guard_sources s where s.key = token for update;
    token_known := found;
  end if;
  select v.verified_phone is not null, v.issued, v.sends, v.phones, v.phone_times
  into verified, issued, user_sent, user_phones, user_phone_times
  from verifications v where v.user_id = for_user for update;
  user_known := found;

  -- What has no history cannot be full.
  if user_known or phone_known or address_known or token_known then
    if cardinality(user_sent) >= least(counts[1], counts[2]) then
      filled[1] := filled_by(user_sent, counts[1], seconds_after(moment, -seconds[1]));
      filled[2] := filled_by(user_sent, counts[2], seconds_after(moment, -seconds[2]));
      refused := enforced[1] and num_nonnulls(filled[1], filled[2]) > 0;
    end if;
    if cardinality(phone_sent) >= least(counts[3], counts[4]) then
      filled[3] := filled_by(
        sends_against(phone_sent, phone_senders, for_user, counts[3]), counts[3], seconds_after(moment, -seconds[3]));
      filled[4] := filled_by(
        sends_against(phone_sent, phone_senders, for_user, counts[4]), counts[4], seconds_after(moment, -seconds[4]));
      phone_refused := enforced[3] and num_nonnulls(filled[3], filled[4]) > 0;
    end if;
    if cardinality(address_sent) >= least(counts[5], counts[6]) then
      filled[5] := filled_by(address_sent, counts[5], seconds_after(moment, -seconds[5]));
      filled[6] := filled_by(address_sent, counts[6], seconds_after(moment, -seconds[6]));
      refused := refused or enforced[5] and num_nonnulls(filled[5], filled[6]) > 0;
    end if;
    if cardinality(token_sent) >= least(counts[7], counts[8]) then
      filled[7] := filled_by(token_sent, counts[7], seconds_after(moment, -seconds[7]));
      filled[8] := filled_by(token_sent, counts[8], seconds_after(moment, -seconds[8]));
      refused := refused or enforced[7] and num_nonnulls(filled[7], filled[8]) > 0;
    end if;
    -- One that is among the last different ones already takes no further place.
    user_place := array_position(user_phones, to_phone);
    if cardinality(user_phones) >= counts[9]
      and coalesce(user_phone_times[user_place] <= seconds_after(moment, -seconds[9]), true) then
      filled[9] := filled_by(user_phone_times, counts[9], seconds_after(moment, -seconds[9]));
      phone_refused := phone_refused or enforced[9] and filled[9] is not null;
    end if;
    phone_place := array_position(phone_users, for_user);
    if cardinality(phone_users) >= counts[10]
      and coalesce(phone_user_times[phone_place] <= seconds_after(moment, -seconds[10]), true) then
      filled[10] := filled_by(phone_user_times, counts[10], seconds_after(moment, -seconds[10]));
      phone_refused := phone_refused or enforced[10] and filled[10] is not null;
    end if;
    moments := case when num_nonnulls(variadic filled) > 0 then to_json(filled) end;
  end if;
  verified := coalesce(verified, false);
  goes := not (verified or refused or not other and (forbidden or phone_refused));
  leased := goes and not other;

  if leased and leases -> 'prefix' is not null then
    select to_json(l), l.granted or not w.enforced into prefix, goes
    from jsonb_to_record(leases -> 'prefix')
        as w (name text, block integer, count integer, percent integer, seconds integer, enforced boolean),
      lease_prefix(w.name, w.block, w.count, w.percent, w.seconds * interval '1 second', moment) l;
  end if;
  if leased and leases -> 'budgets' is not null then
    with wanted as (
      select * from jsonb_to_recordset(leases -> 'budgets')
        as w (name text, units bigint, block bigint, cap bigint, enforced boolean)
    ), lease as (
      insert into guard_budgets as g (name, day, cap, used, granted)
      select w.name, (leases ->> 'day')::date, w.cap, least(w.block, w.cap), least(w.block, w.cap)
      from wanted w where w.units <= w.cap
      order by w.name
      on conflict (name, day) do update set
        cap = excluded.cap,
        granted = least(excluded.granted, excluded.cap - g.used),
        used = g.used + least(excluded.granted, excluded.cap - g.used)
      where g.used < excluded.cap
      returning g.name, g.granted
    )
    select json_agg(json_build_array(l.name, l.granted)) filter (where l.name is not null),
      goes and bool_and(not w.enforced or coalesce(l.granted >= w.units, false))
    into budgets, goes
    from wanted w left join lease l on l.name = w.name;
  end if;
  if not goes then
    issued := null;
    return;
  end if;

  if phone_known then
    update phone_sends p set
      -- With what does not count against everybody, no more than twice the limit comes together.
      sends = appended(p.sends, moment, 2 * coalesce(greatest(counts[3], counts[4]), 0)),
      senders = appended(p.senders, for_user, 2 * coalesce(greatest(counts[3], counts[4]), 0)),
      users = case when counts[10] is null then p.users
        else appended(without(p.users, phone_place), for_user, counts[10]) end,
      user_times = case when counts[10] is null then p.user_times
        else appended(without(p.user_times, phone_place), moment, counts[10]) end
    where p.phone = to_phone;
  elsif on_phone then
    insert into phone_sends (phone, sends, senders, users, user_times)
    values (to_phone, array[moment], array[for_user], array[for_user], array[moment])
    on conflict (phone) do nothing;
    if not found then perform lost_race(); end if;
  end if;
  if address_known then
    update guard_sources s set sends = appended(s.sends, moment, greatest(counts[5], counts[6]))
    where s.key = address;
  elsif address is not null then
    insert into guard_sources (key, kind, label, sends) values (address, 'address', address_label, array[moment])
    on conflict (key) do nothing;
    if not found then perform lost_race(); end if;
  end if;
  if token_known then
    update guard_sources s set sends = appended(s.sends, moment, greatest(counts[7], counts[8]))
    where s.key = token;
  elsif token is not null then
    insert into guard_sources (key, kind, label, sends) values (token, 'token', token_label, array[moment])
    on conflict (key) do nothing;
    if not found then perform lost_race(); end if;
  end if;
  if user_known then
    issued := issued + 1;
    update verifications v set
      issued = reserve_send.issued, sent_phone = case when other then v.sent_phone else to_phone end,
      sent_correlation_type = correlation,
      sends = appended(v.sends, moment, coalesce(greatest(counts[1], counts[2]), 0)),
      phones = case when other or counts[9] is null then v.phones
        else appended(without(v.phones, user_place), to_phone, counts[9]) end,
      phone_times = case when other or counts[9] is null then v.phone_times
        else appended(without(v.phone_times, user_place), moment, counts[9]) end
    where v.user_id = for_user;
  else
    issued := 1;
    insert into verifications (user_id, issued, sends, sent_phone, sent_correlation_type, phones, phone_times)
    values (
      for_user, 1, array[moment], case when not other then to_phone end, correlation,
      case when other then '{}' else array[to_phone] end, case when other then '{}' else array[moment] end
    )
    on conflict (user_id) do nothing;
    if not found then perform lost_race(); end if;
  end if;
end $$;

-- Gives a send of that moment back to whom it was counted for.
create function give_back_send(for_user integer, to_phone text, moment timestamptz, address bytea, token bytea)
returns void
language plpgsql as $$
begin
  update phone_sends p set
    sends = without(p.sends, place_of(p.sends, p.senders, moment, for_user)),
    senders = without(p.senders, place_of(p.sends, p.senders, moment, for_user))
  where p.phone = to_phone;
  update guard_sources s set sends = without(s.sends, array_position(s.sends, moment)) where s.key = address;
  update guard_sources s set sends = without(s.sends, array_position(s.sends, moment)) where s.key = token;
  update verifications v set sends = without(v.sends, array_position(v.sends, moment)) where v.user_id = for_user;
end $$;

-- Counts an attempt as failed before anyone compares, so that parallel guesses cannot pass a limit: for the
-- user, the phone the code went to, the address and the token. Whoever is blocked is not counted. The digest
-- is handed out if the code still counts. Slots: 1, 2 user; 3, 4 phone; 5, 6 address; 7, 8 token. What is
-- enforced comes in the order user, phone, address, token, code.
create function reserve_attempt(
  for_user integer, moment timestamptz, attempts integer, code_key bytea,
  counts integer[], seconds integer[], block_seconds integer[], enforced boolean[],
  address bytea, address_label text, token bytea, token_label text,
  out counted boolean, out code integer, out sent_to text, out digest bytea,
  -- Until when each rule would refuse, as it was before this attempt.
  out user_until timestamptz, out phone_until timestamptz, out address_until timestamptz,
  out token_until timestamptz, out code_until timestamptz
)
language plpgsql as $$
declare
  on_phone boolean;
  phone_known boolean;
  phone_failed timestamptz[];
  phone_failed_users integer[];
  phone_blocked timestamptz;
  address_known boolean;
  address_failed timestamptz[];
  address_blocked timestamptz;
  token_known boolean;
  token_failed timestamptz[];
  token_blocked timestamptz;
  user_known boolean;
  user_failed timestamptz[];
  user_blocked timestamptz;
  known_phone text;
  tried integer;
begin
  on_phone := coalesce(counts[3], counts[4]) is not null;
  if on_phone then
    -- Without a lock, since the phone is to be locked first.
    select v.code_phone into known_phone from verifications v where v.user_id = for_user;
    select p.failures, p.failed_users, p.blocked_until into phone_failed, phone_failed_users, phone_blocked
    from phone_sends p where p.phone = known_phone for update;
    phone_known := found;
    if phone_blocked > moment and for_user = any(phone_failed_users) then phone_until := phone_blocked; end if;
  end if;
  if address is not null then
    select s.failures, case when s.blocked_until > moment then s.blocked_until end
    into address_failed, address_until from guard_sources s where s.key = address for update;
    address_known := found;
  end if;
  if token is not null then
    select s.failures, case when s.blocked_until > moment then s.blocked_until end
    into token_failed, token_until from guard_sources s where s.key = token for update;
    token_known := found;
  end if;
  select v.code_phone, v.code_number, v.failures, case when v.blocked_until > moment then v.blocked_until end,
    least(v.code_attempts, attempts) + 1,
    case when v.verified_phone is null and v.code_expires_at > moment and v.code_attempts < attempts
      then v.code_digest end
  into sent_to, code, user_failed, user_until, tried, digest
  from verifications v where v.user_id = for_user for update;
  user_known := found;
  if on_phone and sent_to is distinct from known_phone then perform lost_race(); end if;
  if code_key is not null then
    select c.blocked_until into code_until from guard_codes c where c.key = code_key and c.blocked_until > moment;
  end if;

  counted := not (
    enforced[1] and user_until is not null or enforced[2] and phone_until is not null
    or enforced[3] and address_until is not null or enforced[4] and token_until is not null
    or enforced[5] and code_until is not null
  );
  if not counted then
    digest := null;
    return;
  end if;

  if coalesce(cardinality(user_failed), 0) + 1 >= least(counts[1], counts[2]) then
    user_blocked := blocked_by(user_failed || moment, moment, counts, seconds, block_seconds, 1);
  end if;
  if coalesce(cardinality(phone_failed), 0) + 1 >= least(counts[3], counts[4]) then
    phone_blocked :=
      greatest(phone_blocked, blocked_by(phone_failed || moment, moment, counts, seconds, block_seconds, 3));
  end if;
  if coalesce(cardinality(address_failed), 0) + 1 >= least(counts[5], counts[6]) then
    address_blocked := blocked_by(address_failed || moment, moment, counts, seconds, block_seconds, 5);
  end if;
  if coalesce(cardinality(token_failed), 0) + 1 >= least(counts[7], counts[8]) then
    token_blocked := blocked_by(token_failed || moment, moment, counts, seconds, block_seconds, 7);
  end if;

  if phone_known then
    -- Users who failed on a phone stay known while it is blocked, also those who come one by one.
    update phone_sends p set
      failures = appended(p.failures, moment, greatest(counts[3], counts[4]) + 50),
      failed_users = appended(p.failed_users, for_user, greatest(counts[3], counts[4]) + 50),
      blocked_until = phone_blocked
    where p.phone = sent_to;
  elsif on_phone and sent_to is not null then
    insert into phone_sends (phone, failures, failed_users, blocked_until)
    values (sent_to, array[moment], array[for_user], phone_blocked)
    on conflict (phone) do nothing;
    if not found then perform lost_race(); end if;
  end if;
  if address_known then
    update guard_sources s set
      failures = appended(s.failures, moment, greatest(counts[5], counts[6])), blocked_until = address_blocked
    where s.key = address;
  elsif address is not null then
    insert into guard_sources (key, kind, label, failures, blocked_until)
    values (address, 'address', address_label, array[moment], address_blocked)
    on conflict (key) do nothing;
    if not found then perform lost_race(); end if;
  end if;
  if token_known then
    update guard_sources s set
      failures = appended(s.failures, moment, greatest(counts[7], counts[8])), blocked_until = token_blocked
    where s.key = token;
  elsif token is not null then
    insert into guard_sources (key, kind, label, failures, blocked_until)
    values (token, 'token', token_label, array[moment], token_blocked)
    on conflict (key) do nothing;
    if not found then perform lost_race(); end if;
  end if;
  if user_known then
    update verifications v set
      failures = appended(v.failures, moment, coalesce(greatest(counts[1], counts[2]), 0)),
      code_attempts = tried, blocked_until = user_blocked
    where v.user_id = for_user;
  else
    insert into verifications (user_id, failures, blocked_until)
    values (for_user, array[moment], user_blocked)
    on conflict (user_id) do nothing;
    if not found then perform lost_race(); end if;
  end if;
end $$;

-- Uses the code up, links the phone, notes it for the prefix and takes the reserved failure back, with the
-- block that it may have brought: all of it, or nothing.
create function consume_code(
  for_user integer, code integer, sent_to text, moment timestamptz, of_prefix text, block_seconds integer[],
  address bytea, token bytea
) returns boolean
language plpgsql as $$
begin
  if coalesce(block_seconds[3], block_seconds[4]) is not null then
    perform from phone_sends p where p.phone = sent_to for update;
  end if;
  if address is not null then perform from guard_sources s where s.key = address for update; end if;
  if token is not null then perform from guard_sources s where s.key = token for update; end if;
  perform from verifications v
  where v.user_id = for_user and v.code_number = code and v.code_digest is not null and v.verified_phone is null
  for update;
  if not found then return false; end if;
  insert into phone_links as l (phone, user_id, linked_at) values (sent_to, for_user, moment)
  on conflict (phone) do update set linked_at = excluded.linked_at where l.user_id = excluded.user_id;
  if not found then return false; end if;

  update verifications v set
    verified_phone = sent_to, verified_at = moment, code_digest = null, blocked_until = null,
    failures = without(v.failures, array_position(v.failures, moment))
  where v.user_id = for_user;
  update messages m set verified_at = moment where m.user_id = for_user and m.code_number = code;
  if coalesce(block_seconds[3], block_seconds[4]) is not null then
    update phone_sends p set
      failures = without(p.failures, place_of(p.failures, p.failed_users, moment, for_user)),
      failed_users = without(p.failed_users, place_of(p.failures, p.failed_users, moment, for_user)),
      blocked_until = case when p.blocked_until in (seconds_after(moment, block_seconds[3]), seconds_after(moment, block_seconds[4]))
        then null else p.blocked_until end
    where p.phone = sent_to;
  end if;
  if address is not null then
    update guard_sources s set
      failures = without(s.failures, array_position(s.failures, moment)),
      blocked_until = case
        when s.blocked_until in (seconds_after(moment, block_seconds[5]), seconds_after(moment, block_seconds[6]))
        then null else s.blocked_until end
    where s.key = address;
  end if;
  if token is not null then
    update guard_sources s set
      failures = without(s.failures, array_position(s.failures, moment)),
      blocked_until = case
        when s.blocked_until in (seconds_after(moment, block_seconds[7]), seconds_after(moment, block_seconds[8]))
        then null else s.blocked_until end
    where s.key = token;
  end if;
  if of_prefix is not null then
    update guard_prefixes g set verified = g.verified + 1 where g.prefix = of_prefix;
  end if;
  return true;
end $$;
