-- Of each organization, the event that came last of those that were removed.
create table egress_pruned (
    organization_id text primary key,
    arrival bigint not null
);
