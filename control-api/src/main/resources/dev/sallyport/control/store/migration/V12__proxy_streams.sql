-- The connection that a proxy has opened last: what is said of an earlier one counts for nothing.
alter table proxy add column stream text;
