-- Names that order lists stand there as bytes too, which every database orders alike.

alter table organization add column egress_mode text not null default 'enforce';

create table egress_rule (
    id text primary key,
    organization_id text not null references organization (id),
    name text,
    host text,
    host_key bytea not null,
    cidr text,
    comment text,
    bytes bigint not null,
    created_at bigint not null
);
create unique index egress_rule_name on egress_rule (organization_id, name) where name is not null;
create index egress_rule_by_time on egress_rule (organization_id, created_at, id);
create index egress_rule_by_host on egress_rule (organization_id, host_key, id);
create index egress_rule_size on egress_rule (organization_id, bytes);

create table secret (
    id text primary key,
    organization_id text not null references organization (id),
    name text not null,
    name_key bytea not null,
    env_var text not null,
    hosts text not null,
    comment text,
    sealed_value bytea not null,
    value_version bigint not null,
    bytes bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (organization_id, name),
    unique (organization_id, env_var)
);
create index secret_by_time on secret (organization_id, created_at, id);
create index secret_by_name on secret (organization_id, name_key, id);
create index secret_size on secret (organization_id, bytes);

-- Placeholders that workloads may still hold.
create table deleted_secret (
    organization_id text not null references organization (id),
    name text not null,
    deleted_at bigint not null,
    primary key (organization_id, name)
);
create index deleted_secret_deleted_at on deleted_secret (deleted_at);

create table environment_variable (
    id text primary key,
    organization_id text not null references organization (id),
    name text not null,
    sealed_value bytea not null,
    bytes bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (organization_id, name)
);
create index environment_variable_by_time on environment_variable (organization_id, created_at, id);
create index environment_variable_size on environment_variable (organization_id, bytes);

-- What proxies saw. The identifier begins with the time. class folds protocol, verdict, allowed and mode; each facet is a
-- hash of organization, class and the values that it is called by, null where the event lacks one of them.
create table egress_event (
    id bytea primary key,
    organization_id text not null,
    arrival bigint not null,
    class integer not null,
    vm_id text,
    host text not null,
    cidr text,
    replacements text not null,
    facet_class bigint not null,
    facet_vm bigint,
    facet_host bigint not null,
    facet_cidr bigint,
    facet_vm_host bigint,
    facet_vm_cidr bigint,
    facet_host_cidr bigint,
    facet_vm_host_cidr bigint
);
create index egress_event_by_arrival on egress_event (organization_id, arrival);
create index egress_event_by_time on egress_event (organization_id, id);
create index egress_event_by_class on egress_event (facet_class, id);
create index egress_event_by_vm on egress_event (facet_vm, id) where facet_vm is not null;
create index egress_event_by_host on egress_event (facet_host, id);
create index egress_event_by_cidr on egress_event (facet_cidr, id) where facet_cidr is not null;
create index egress_event_by_vm_host on egress_event (facet_vm_host, id) where facet_vm_host is not null;
create index egress_event_by_vm_cidr on egress_event (facet_vm_cidr, id) where facet_vm_cidr is not null;
create index egress_event_by_host_cidr on egress_event (facet_host_cidr, id) where facet_host_cidr is not null;
create index egress_event_by_vm_host_cidr on egress_event (facet_vm_host_cidr, id) where facet_vm_host_cidr is not null;

-- One row: its lock gives numbers to events in the order of their commits.
create table egress_arrival (
    id integer primary key,
    value bigint not null
);
insert into egress_arrival (id, value) values (1, 0);

-- How far the events of each proxy are here.
create table egress_source (
    proxy_id text not null,
    epoch text not null,
    position bigint not null,
    updated_at bigint not null,
    primary key (proxy_id, epoch)
);
create index egress_source_updated_at on egress_source (updated_at);
