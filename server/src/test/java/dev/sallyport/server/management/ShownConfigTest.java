package dev.sallyport.server.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.EffectiveConfig;
import dev.sallyport.server.plugin.Plugins;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the fields of what comes with the program become in {@code GET /v1/config}. */
class ShownConfigTest {

    @TempDir
    Path folder;

    private JsonNode shown(String yaml) throws Exception {
        ConfigResult result = ConfigLoader.load(
                "f.yaml",
                "dns: {enabled: false}\ntls: {ca_cert: ca.pem, ca_key: ca.key}\n" + yaml,
                folder,
                Map.of(),
                Plugins.load(null).catalog());
        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
        return Managed.json(EffectiveConfig.json(((ConfigResult.Loaded) result).config()));
    }

    @Test
    void whereASecretIsReadIsNoSecret() throws Exception {
        JsonNode entries = shown("""
                transforms:
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: cloud_sm, secret_id: a, endpoint: "https://sm.test"}
                          replace: {proxy_value: one}
                        - source: {type: cloud_ssm, name: a, endpoint: "https://ssm.test"}
                          replace: {proxy_value: two}
                        - source: {type: vault, secret_ref: "op://a/b/c", command: /opt/op}
                          replace: {proxy_value: three}
                """).at("/transforms/0/config/secrets");

        assertThat(entries.at("/0/source/endpoint").asText()).isEqualTo("https://sm.test");
        assertThat(entries.at("/1/source/endpoint").asText()).isEqualTo("https://ssm.test");
        assertThat(entries.at("/2/source/command").asText()).isEqualTo("/opt/op");
        assertThat(entries.findValuesAsText("value")).containsExactly("***", "***", "***");
    }

    @Test
    void ofTheControlPlaneVariablesAreShownAndPasswordsAreNot() throws Exception {
        JsonNode control = shown("""
                control:
                  listen: 127.0.0.1:0
                  database: {url: "jdbc:postgresql://db/x?sslpassword=s3cret", password_env: DB_PASSWORD}
                  mail: {smtp_host: a.test, from: a@a.test, username_env: SMTP_USER, password_env: SMTP_PASSWORD}
                  encryption: {kms_key_id: alias/one}
                  sandboxes:
                    driver: fake
                    settings: {apiToken: s3cret, region: eu}
                    agents: {git_password_env: [GIT_TOKEN]}
                """).at("/control");

        assertThat(control.toString()).doesNotContain("s3cret");
        assertThat(control.at("/database/password_env").asText()).isEqualTo("DB_PASSWORD");
        assertThat(control.at("/mail/password_env").asText()).isEqualTo("SMTP_PASSWORD");
        assertThat(control.at("/encryption/kms_key_id").asText()).isEqualTo("alias/one");
        assertThat(control.at("/sandboxes/settings/region").asText()).isEqualTo("eu");
        assertThat(control.at("/sandboxes/agents/git_password_env/0").asText()).isEqualTo("GIT_TOKEN");
    }
}
