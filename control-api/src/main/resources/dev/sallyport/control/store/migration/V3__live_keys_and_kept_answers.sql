-- Quotas are counted without walking what has ended or reading what is kept.
create index api_key_live on api_key (organization_id) where revoked_at is null;
create index api_key_revoked_at on api_key (revoked_at) where revoked_at is not null;
create index device_code_sealed on device_code (expires_at) where sealed_token is not null;

alter table idempotency add column answer_bytes bigint not null default 0;
update idempotency set answer_bytes = octet_length(sealed_answer) where sealed_answer is not null;
create index idempotency_size on idempotency (scope, answer_bytes);
