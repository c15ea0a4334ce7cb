-- expand: Removes links that an import of a user on several lines has left: nobody had the number, and nobody could get it.
delete from phone_links l using verifications v
where v.user_id = l.user_id and v.verified_phone is distinct from l.phone;
