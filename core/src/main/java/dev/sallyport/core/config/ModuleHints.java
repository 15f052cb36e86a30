package dev.sallyport.core.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which module of the project holds what, for those who left it out. */
final class ModuleHints {

    private static final Map<String, String> TRANSFORMS = Map.ofEntries(
            Map.entry("allowlist", "sallyport-transform-allowlist"),
            Map.entry("secrets", "sallyport-transform-secrets"),
            Map.entry("svcacct_auth", "sallyport-transform-svcacct-auth"),
            Map.entry("oauth_token", "sallyport-transform-oauth-token"),
            Map.entry("sigv4_auth", "sallyport-transform-sigv4-auth"),
            Map.entry("hmac_sign", "sallyport-transform-hmac-sign"),
            Map.entry("body_capture", "sallyport-transform-body-capture"),
            Map.entry("annotate", "sallyport-transform-annotate"),
            Map.entry("grpc", "sallyport-transform-grpc"),
            Map.entry("judge", "sallyport-transform-judge"),
            Map.entry("header_allowlist", "sallyport-transform-header-allowlist"));

    private static final Map<String, String> SECTIONS = Map.of("mcp", "sallyport-mcp");

    private static final Map<String, String> SOURCES = Map.of(
            "env", "sallyport-source-local",
            "file", "sallyport-source-local",
            "cloud_sm", "sallyport-source-aws",
            "cloud_ssm", "sallyport-source-aws",
            "vault", "sallyport-source-vault",
            "vault_connect", "sallyport-source-vault");

    private ModuleHints() {}

    static @Nullable String ofTransform(String name) {
        return TRANSFORMS.get(name);
    }

    static @Nullable String ofSection(String name) {
        return SECTIONS.get(name);
    }

    static @Nullable String ofSource(String type) {
        return SOURCES.get(type);
    }
}
