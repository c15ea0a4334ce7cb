-- contract: Removes guard_prefixes, which guard_ranges has replaced.

drop table guard_prefixes;
