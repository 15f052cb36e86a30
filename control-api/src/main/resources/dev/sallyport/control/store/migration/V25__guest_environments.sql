-- What an account tells its sandboxes has a number, another one after each change. A sandbox has that of what it was told
-- last; it is null where that is not known.
alter table organization add column environment bigint not null default 0;
alter table vm add column environment bigint;
