-- The processes that use this database now, and the key with which each seals; 0 before it is known.
create table encryption_replica (
    id text primary key,
    key_id bigint not null,
    seen_at bigint not null
);
