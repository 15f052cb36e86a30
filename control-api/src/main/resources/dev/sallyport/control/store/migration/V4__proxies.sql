-- Proxies outside of this process. A revoked one stays, so that it is told why it is refused.

create table proxy (
    id text primary key,
    organization_id text not null references organization (id),
    name text not null,
    tags text not null,
    prefix text not null,
    token_hash text not null unique,
    created_at bigint not null,
    revoked_at bigint,
    last_seen_at bigint,
    applied_revision bigint,
    problems text not null
);
create unique index proxy_name on proxy (organization_id, name) where revoked_at is null;
