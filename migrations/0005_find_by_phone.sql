-- expand: An operator who is told a number finds the user it was sent to, also one who never verified it.
create index verifications_by_sent_phone on verifications (sent_phone) where sent_phone is not null;
