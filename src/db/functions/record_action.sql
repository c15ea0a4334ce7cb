-- Records an action in the audit, and writes its event. Call it last, like write_event.
create or replace function record_action(
  called_at timestamptz, of_subject text, of_client text, action text, target text, detail text, of_user integer,
  reason text
) returns void
language plpgsql as $$
begin
  insert into operator_actions (acted_at, subject, client, action, target, detail, user_id, reason)
  values (called_at, of_subject, of_client, action, target, detail, of_user, reason);
  perform write_event(
    'operator.acted', of_user, called_at,
    json_build_object('action', action, 'actor', of_subject, 'target', target));
end $$;
