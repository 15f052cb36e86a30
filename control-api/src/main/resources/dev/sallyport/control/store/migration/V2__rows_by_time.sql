-- What is too old is found by its time.
create index admin_audit_happened_at on admin_audit (happened_at);
create index session_expires_at on session (expires_at);
create index verification_expires_at on verification (expires_at);
