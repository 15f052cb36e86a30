-- Events in partitions by their identifier, which begins with the time: so the primary key and all indexes have the key of
-- the partitions in them. The table that is there becomes the one partition, as it is: neither it nor its indexes are read
-- or written. Housekeeping ends it in the near future, and makes the next ones.
alter table egress_event rename to egress_event_first;
alter index egress_event_pkey rename to egress_event_first_pkey;
alter index egress_event_by_arrival rename to egress_event_first_by_arrival;
alter index egress_event_by_time rename to egress_event_first_by_time;
alter index egress_event_by_class rename to egress_event_first_by_class;
alter index egress_event_by_vm rename to egress_event_first_by_vm;
alter index egress_event_by_host rename to egress_event_first_by_host;
alter index egress_event_by_cidr rename to egress_event_first_by_cidr;
alter index egress_event_by_vm_host rename to egress_event_first_by_vm_host;
alter index egress_event_by_vm_cidr rename to egress_event_first_by_vm_cidr;
alter index egress_event_by_host_cidr rename to egress_event_first_by_host_cidr;
alter index egress_event_by_vm_host_cidr rename to egress_event_first_by_vm_host_cidr;

create table egress_event (like egress_event_first, primary key (id)) partition by range (id);
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
alter table egress_event attach partition egress_event_first for values from (minvalue) to (maxvalue);
