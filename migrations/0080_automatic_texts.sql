-- expand: A message that did not arrive is followed by one over the next channel; confirmations have second routes too.

alter table verifications
  -- The latest code, of a verification or a change, that the next channel carried without being asked for.
  add column next_channel_code integer;

alter table confirmations
  -- When a message was claimed that nobody asked for: over another gateway, and over the next channel.
  add column rerouted_at timestamptz,
  add column next_channel_at timestamptz;
