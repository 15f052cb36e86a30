-- The same text runs on SQLite and PostgreSQL. Times are milliseconds since the epoch.

create table meta (
    name text primary key,
    value text not null
);

-- One row: its lock gives order numbers to transactions in the order of their commits.
create table change_counter (
    id integer primary key,
    value bigint not null
);
insert into change_counter (id, value) values (1, 0);

create table change (
    position bigint primary key,
    organization_id text not null,
    kind text not null,
    resource_id text not null,
    changed_at bigint not null
);
create index change_changed_at on change (changed_at);

create table organization (
    id text primary key,
    name text not null,
    created_at bigint not null
);

create table users (
    id text primary key,
    organization_id text not null references organization (id),
    first_name text not null,
    last_name text not null,
    email text not null,
    email_key text not null unique,
    email_verified boolean not null,
    password_hash text not null,
    created_at bigint not null
);

create table api_key (
    id text primary key,
    organization_id text not null references organization (id),
    user_id text not null references users (id),
    name text not null,
    prefix text not null,
    token_hash text not null unique,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint
);
create index api_key_list on api_key (organization_id, created_at, id);

create table verification (
    token_hash text primary key,
    user_id text not null references users (id),
    expires_at bigint not null
);

create table device_code (
    code_hash text primary key,
    status text not null,
    created_at bigint not null,
    expires_at bigint not null,
    user_id text references users (id),
    sealed_token bytea
);
create index device_code_created_at on device_code (created_at);

create table session (
    token_hash text primary key,
    user_id text not null references users (id),
    csrf text not null,
    expires_at bigint not null
);

create table idempotency (
    scope text not null,
    idempotency_key text not null,
    request_hash text not null,
    created_at bigint not null,
    sealed_answer bytea,
    primary key (scope, idempotency_key)
);
create index idempotency_created_at on idempotency (created_at);

create table policy (
    id text primary key,
    organization_id text not null references organization (id),
    kind text not null,
    name text not null,
    active boolean not null,
    priority integer not null,
    content text not null,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (organization_id, kind, name)
);
create index policy_list on policy (organization_id, kind, priority, created_at, id);

create table admin_audit (
    id text primary key,
    organization_id text not null,
    happened_at bigint not null,
    user_id text,
    api_key_id text,
    action text not null,
    resource text not null,
    resource_id text not null,
    state_before text,
    state_after text,
    remote_addr text
);
create index admin_audit_list on admin_audit (organization_id, happened_at, id);
