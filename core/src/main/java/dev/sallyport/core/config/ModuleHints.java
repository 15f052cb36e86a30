package dev.sallyport.core.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names the module of the project that provides a plug-in, for error messages when it is missing. */
final class ModuleHints {

    private static final Map<String, String> TRANSFORMS = Map.ofEntries(
            Map.entry("allowlist", "sallyport-transform-allowlist"),
            Map.entry("secrets", "sallyport-transform-secrets"),
            Map.entry("svcacct_auth", "sallyport-transform-svcacct-auth"),
            Map.entry("gcp_auth", "sallyport-transform-svcacct-auth"),
            Map.entry("gcp_id_token", "sallyport-transform-svcacct-auth"),
            Map.entry("oauth_token", "sallyport-transform-oauth-token"),
            Map.entry("sigv4_auth", "sallyport-transform-sigv4-auth"),
            Map.entry("aws_auth", "sallyport-transform-sigv4-auth"),
            Map.entry("hmac_sign", "sallyport-transform-hmac-sign"),
            Map.entry("body_capture", "sallyport-transform-body-capture"),
            Map.entry("annotate", "sallyport-transform-annotate"),
            Map.entry("grpc", "sallyport-transform-grpc"),
            Map.entry("judge", "sallyport-transform-judge"),
            Map.entry("header_allowlist", "sallyport-transform-header-allowlist"));

    private static final Map<String, String> SECTIONS = Map.of(
            "mcp", "sallyport-mcp",
            "control", "sallyport-control-api",
            "control_plane", "sallyport-feed");

    private static final Map<String, String> SOURCES = Map.ofEntries(
            Map.entry("env", "sallyport-source-local"),
            Map.entry("file", "sallyport-source-local"),
            Map.entry("cloud_sm", "sallyport-source-aws"),
            Map.entry("aws_sm", "sallyport-source-aws"),
            Map.entry("cloud_ssm", "sallyport-source-aws"),
            Map.entry("aws_ssm", "sallyport-source-aws"),
            Map.entry("vault", "sallyport-source-vault"),
            Map.entry("1password", "sallyport-source-vault"),
            Map.entry("vault_connect", "sallyport-source-vault"),
            Map.entry("1password_connect", "sallyport-source-vault"));

    /** Sections of iron-proxy that there are none of here (docs/spec/decisions.md, section 17), and what to do instead. */
    private static final Map<String, String> FOREIGN_SECTIONS = Map.of(
            "postgres",
                    "no such section: a proxy for PostgreSQL is not part of Sallyport; let database traffic reach a "
                            + "proxy for PostgreSQL on another way",
            "mcp_gateway",
                    "no such section: give the client the address of the MCP server itself, with its tools in mcp and "
                            + "its credentials in a secrets entry with inject");

    private ModuleHints() {}

    static @Nullable String ofTransform(String name) {
        return TRANSFORMS.get(name);
    }

    static @Nullable String ofSection(String name) {
        return SECTIONS.get(name);
    }

    /** What to do instead of a section of iron-proxy that there is none of here; null for all others. */
    static @Nullable String insteadOfSection(String name) {
        return FOREIGN_SECTIONS.get(name);
    }

    static @Nullable String ofSource(String type) {
        return SOURCES.get(type);
    }
}
