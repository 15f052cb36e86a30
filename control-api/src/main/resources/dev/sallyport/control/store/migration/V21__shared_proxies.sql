-- Proxies of the installation serve all accounts, and belong to no organization. What refers to a proxy is made anew with it.
create table any_proxy (
    id text primary key,
    organization_id text references organization (id),
    name text not null,
    tags text not null,
    prefix text not null,
    token_hash text not null unique,
    created_at bigint not null,
    revoked_at bigint,
    last_seen_at bigint,
    applied_revision bigint,
    problems text not null,
    stream text
);
insert into any_proxy (id, organization_id, name, tags, prefix, token_hash, created_at, revoked_at, last_seen_at, applied_revision, problems, stream)
    select id, organization_id, name, tags, prefix, token_hash, created_at, revoked_at, last_seen_at, applied_revision, problems, stream from proxy;

create table any_audit_head (
    proxy_id text not null references any_proxy (id),
    origin text not null,
    size bigint not null,
    note text not null,
    signer text not null,
    received_at bigint not null,
    contradiction text,
    contradicted_at bigint,
    primary key (proxy_id, origin)
);
insert into any_audit_head (proxy_id, origin, size, note, signer, received_at, contradiction, contradicted_at)
    select proxy_id, origin, size, note, signer, received_at, contradiction, contradicted_at from audit_head;

drop table audit_head;
drop table proxy;
alter table any_proxy rename to proxy;
alter table any_audit_head rename to audit_head;

create unique index proxy_name on proxy (organization_id, name) where revoked_at is null;
create unique index shared_proxy_name on proxy (name) where organization_id is null and revoked_at is null;

-- The accounts that a proxy of the installation has been given: of these alone it may tell events.
create table served_account (
    proxy_id text not null references proxy (id),
    organization_id text not null references organization (id),
    primary key (proxy_id, organization_id)
);
