-- expand: What the code of a text is for.

alter table messages
  -- verification, change or confirmation.
  add column kind text not null default 'verification',
  -- Of a code of a confirmation.
  add column confirmation_id uuid;
