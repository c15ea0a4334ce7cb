-- A pending confirmation that ends without a check. Each of these removes its code and its terms with the state.

-- After a text with its code has an outcome: if no text can have arrived, the code is void.
create or replace function settle_confirmation(for_user integer, for_confirmation uuid, outcome text) returns void
language plpgsql as $$
begin
  update confirmations c set
    texts_in_flight = c.texts_in_flight - 1,
    sent_state = case when outcome in ('accepted', 'unknown')
      then greatest(c.sent_state, outcome::code_state) else c.sent_state end
  where c.user_id = for_user and c.confirmation_id = for_confirmation;
  update confirmations c set state = 'void', code_digest = null, sealed_terms = null
  where c.user_id = for_user and c.confirmation_id = for_confirmation and c.state = 'pending'
    and c.sent_state = 'pending' and c.texts_in_flight = 0;
end $$;

-- Removes a send from the counters of the user. It remains counted in shared budgets.
create or replace function give_back_confirmation(for_user integer, counted_at timestamptz) returns void
language sql as $$
  update verifications v set
    confirmation_sends = remove_event(v.confirmation_sends, counted_at),
    bound_confirmation_sends = remove_event(v.bound_confirmation_sends, counted_at)
  where v.user_id = for_user
$$;

-- All of a user's, because the phone that the codes went to is no longer the user's. The caller has locked the row of
-- verifications, so none is created meanwhile.
create or replace function void_confirmations(for_user integer, called_at timestamptz) returns void
language sql as $$
  update confirmations c set
    state = (case when c.expires_at > called_at then 'void' else 'expired' end)::confirmation_state,
    code_digest = null, sealed_terms = null
  where c.user_id = for_user and c.state = 'pending'
$$;
