-- Accounts of which a proxy that they share could make nothing, and the number of the event that they came in, as it has
-- told another process than the one that it is connected to. Of each the last one: none is sent again before it is known.
create table failed_account (
    proxy_id text not null references proxy (id),
    organization_id text not null references organization (id),
    stream text not null,
    number bigint not null,
    primary key (proxy_id, organization_id)
);
