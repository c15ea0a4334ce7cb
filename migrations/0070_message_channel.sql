-- expand: How a text was sent.

alter table messages
  -- sms, whatsapp or voice.
  add column channel text not null default 'sms';
