-- Where the chains of proxies' audit records have got to: the last checkpoint of each, and the first one that contradicts.
create table audit_head (
    proxy_id text not null references proxy (id),
    origin text not null,
    size bigint not null,
    note text not null,
    signer text not null,
    received_at bigint not null,
    contradiction text,
    contradicted_at bigint,
    primary key (proxy_id, origin)
);

-- The key with which checkpoints are cosigned; one row.
create table cosigner (
    id text primary key,
    sealed_key bytea not null
);
