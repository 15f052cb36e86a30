-- How many bytes of a log came before each of its parts, so that what is too old is found without adding up the rest.
alter table agent_log add column starts bigint not null default 0;
update agent_log set starts = (
    select coalesce(sum(earlier.bytes), 0) from agent_log earlier
    where earlier.agent_id = agent_log.agent_id and earlier.seq < agent_log.seq
);
create index agent_log_by_start on agent_log (agent_id, starts);
