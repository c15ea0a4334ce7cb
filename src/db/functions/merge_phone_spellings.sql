-- Moves the rows of another spelling of a phone number to the canonical spelling. If two users then have the same
-- phone, the older link is kept, and the other user is unverified again. Returns the users who lost their link.
--
-- Rows are moved by delete and insert: on Citus the key of a row cannot be updated. The ranges use the primary keys,
-- and are empty when everything has been moved.
create or replace function merge_phone_spellings(called_at timestamptz) returns setof integer
language plpgsql as $$
declare
  moved record;
  holder record;
  loser integer;
begin
  for moved in
    select l.phone, l.user_id, l.linked_at, canonical_phone(l.phone) as canonical from phone_links l
    where ((l.phone >= '+541' and l.phone < '+544') or (l.phone >= '+521' and l.phone < '+522'))
      and canonical_phone(l.phone) <> l.phone
    order by l.phone for update
  loop
    delete from phone_links l where l.phone = moved.phone;
    select l.user_id, l.linked_at into holder from phone_links l where l.phone = moved.canonical for update;
    loser := case
      when holder.user_id is null or holder.user_id = moved.user_id then null
      when (holder.linked_at, holder.user_id) <= (moved.linked_at, moved.user_id) then moved.user_id
      else holder.user_id end;
    if loser is distinct from moved.user_id then
      insert into phone_links as l (phone, user_id, linked_at)
      values (moved.canonical, moved.user_id, moved.linked_at)
      on conflict (phone) do update set user_id = excluded.user_id, linked_at = excluded.linked_at;
      update verifications v set verified_phone = moved.canonical
      where v.user_id = moved.user_id and v.verified_phone = moved.phone;
    end if;
    if loser is not null then
      update verifications v set verified_phone = null, verified_at = null
      where v.user_id = loser and v.verified_phone in (moved.phone, moved.canonical);
      perform write_event('phone.unlinked', loser, called_at, json_build_object(
        'country', case when moved.canonical like '+54%' then 'AR' else 'MX' end, 'by', 'operator'));
      return next loser;
    end if;
  end loop;

  update verifications v set sent_phone = canonical_phone(v.sent_phone)
  where ((v.sent_phone >= '+541' and v.sent_phone < '+544') or (v.sent_phone >= '+521' and v.sent_phone < '+522'))
    and canonical_phone(v.sent_phone) <> v.sent_phone;
end $$;
