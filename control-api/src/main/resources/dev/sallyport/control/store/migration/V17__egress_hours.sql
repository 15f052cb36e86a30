-- How many requests there were in each hour: they are kept for longer than the events that they count. An empty host
-- stands for those beyond the bound of an hour. The identifier begins with the hour.
create table egress_hour (
    id text primary key,
    organization_id text not null,
    hour bigint not null,
    host text not null,
    verdict text not null,
    allowed boolean not null,
    requests bigint not null
);
-- One for each combination of filters that takes few values, so that none walks what it leaves out.
create index egress_hour_by_host on egress_hour (organization_id, host, id);
create index egress_hour_by_verdict on egress_hour (organization_id, verdict, id);
create index egress_hour_by_allowed on egress_hour (organization_id, allowed, id);
create index egress_hour_by_result on egress_hour (organization_id, verdict, allowed, id);
-- Of indexes that seem equally good to it, SQLite takes the one that was made first: the widest comes last.
create index egress_hour_by_time on egress_hour (organization_id, id);
create index egress_hour_age on egress_hour (hour);
