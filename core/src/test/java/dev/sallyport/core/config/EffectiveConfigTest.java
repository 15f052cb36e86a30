package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/decisions.md, section 13: the effective configuration, with every secret value as ***. */
class EffectiveConfigTest {

    private static JsonNode shown(String yaml, Map<String, String> environment) throws Exception {
        return new ObjectMapper().readTree(EffectiveConfig.json(Load.config(yaml, environment)));
    }

    private static JsonNode transform(String block) throws Exception {
        return shown(Load.withTransform("probe", block), Map.of()).at("/transforms/0/config");
    }

    @Test
    void whatIsShownIsReadAsTheSame() {
        String yaml = Load.VALID + """
                proxy:
                  tunnel_listen: "[::1]:8080"
                  upstream_deny_cidrs: [10.0.0.0/8, 2001:db8::/32]
                  reload: {long_lived: recheck}
                  limits: {drain_timeout: 1h30m, header_bytes: 32KiB}
                  upstream: {connect_timeout: 1500ms}
                management: {listen: "127.0.0.1:1"}
                mcp: {servers: [{name: one, rules: [{cidr: 10.0.0.0/8, ports: [1, 2], scheme: https}]}]}
                transforms:
                  - name: gate
                    config: {domains: [a.test], rules: [{host: "*.b.test", methods: [GET], paths: [/v1/*]}], warn: true}
                  - name: probe
                    config:
                      name: all
                      big: 12345678901
                      skew: -3s
                      cert_file: x.pem
                      maybe: true
                      colour: red
                      renamed-key: [dark-green]
                      only: {host: c.test}
                      weights: {a: 1}
                      equals: {a: [1, null, 2.5, true, "text"]}
                      in: [1, "1"]
                      ports: [1]
                """;
        ProxyConfig config = Load.config(yaml);

        assertThat(Load.config(EffectiveConfig.json(config))).isEqualTo(config);
    }

    @Test
    void defaultsAndVariablesAreInIt() throws Exception {
        JsonNode shown = shown(Load.VALID, Map.of("SALLYPORT_PROXY_SNI_UPSTREAM_PORT", "8443"));

        assertThat(shown.at("/proxy/sni_upstream_port").asInt()).isEqualTo(8443);
        assertThat(shown.at("/proxy/http_listen").asText()).isEqualTo(":80");
        assertThat(shown.at("/proxy/tunnel_listen").asText()).isEqualTo("disabled");
        assertThat(shown.at("/proxy/limits/drain_timeout").asText()).isEqualTo("30s");
        assertThat(shown.at("/tls/mode").asText()).isEqualTo("mitm");
        assertThat(shown.has("management")).isFalse();
    }

    @Test
    void theValueOfASourceIsMaskedWhereverItStands() throws Exception {
        JsonNode config = transform("""
                name: x
                token: {type: file, path: /run/token, json_key: a, optional: true}
                credentials: {one: {type: file, path: /run/one}}
                """);

        assertThat(config.at("/token").toString())
                .isEqualTo("{\"type\":\"file\",\"path\":\"/run/token\",\"trim\":false,\"ttl\":\"0s\","
                        + "\"json_key\":\"a\",\"optional\":true,\"value\":\"***\"}");
        assertThat(config.at("/credentials/one/value").asText()).isEqualTo("***");
    }

    /** The source of a plug-in whose author has declared nothing: any text in it may be the secret. */
    @Test
    void aTextInASourceThatIsNotDeclaredHarmlessIsMasked() throws Exception {
        JsonNode config = transform("name: x\ntoken: {type: env, var: perhaps-the-secret-itself}\n");

        assertThat(config.at("/token/var").asText()).isEqualTo("***");
    }

    @Test
    void aTextThatMayBeASecretIsMasked() throws Exception {
        JsonNode config = transform("name: x\napi_key: written-into-the-file\n");

        assertThat(config.at("/api_key").asText()).isEqualTo("***");
        assertThat(transform("name: x\n").at("/api_key").asText()).isEmpty();
    }

    @Test
    void ofTextsByNameThoseWhoseNameIsThatOfASecretAreMasked() throws Exception {
        JsonNode settings = transform(
                        "name: x\nsettings: {apiToken: s3cret, admin-password: s3cret, region: eu, path: /x}\n")
                .at("/settings");

        assertThat(settings.toString())
                .isEqualTo("{\"apiToken\":\"***\",\"admin-password\":\"***\",\"region\":\"eu\",\"path\":\"/x\"}");
    }

    @Test
    void thatAParentAsksForALoginIsShown() throws Exception {
        JsonNode parents = shown(
                        Load.VALID + "proxy: {upstream_proxy: {http_proxy: 'http://me:s3cret@[::1]:3128',"
                                + " https_proxy: 'socks5h://s3cret@p.test'}}\n",
                        Map.of())
                .at("/proxy/upstream_proxy");

        assertThat(parents.at("/http_proxy").asText()).isEqualTo("http://***:***@[::1]:3128");
        assertThat(parents.at("/https_proxy").asText()).isEqualTo("socks5h://***@p.test:1080");
    }

    @Test
    void aTextThatIsDeclaredHarmlessIsShown() throws Exception {
        JsonNode shown = shown(Load.VALID + "management: {listen: ':1', api_key_env: OTHER}\n", Map.of());

        assertThat(shown.at("/management/api_key_env").asText()).isEqualTo("OTHER");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://user:s3cret@proxy.test:3128/x            | http://user:***@proxy.test:3128/x",
                "http://:s3cret@proxy.test                       | http://:***@proxy.test",
                "socks5h://u:p%40ss@10.0.0.1:1080                | socks5h://u:***@10.0.0.1:1080",
                "https://a.test/x?api_token=s3cret&b=1           | https://a.test/x?api_token=***&b=1",
                "jdbc:postgresql://db/x?user=u&password=s3cret   | jdbc:postgresql://db/x?user=u&password=***",
                "http://user:s3c@ret@proxy.test                  | http://user:***@proxy.test",
                "https://ghp_s3cret@a.test/path:with@signs       | https://***@a.test/path:with@signs",
                "https://s3cret:@a.test                          | https://***@a.test",
                "https://a.test/path:with@signs                  | https://a.test/path:with@signs",
                "https://a.test/x?apiKey=s3cret&tokenId=s3cret   | https://a.test/x?apiKey=***&tokenId=***",
                "https://a.test/x?X-Amz-Signature=s3cret&key=a   | https://a.test/x?X-Amz-Signature=***&key=***",
                "https://a.test/x?sig=s3cret&design=flat         | https://a.test/x?sig=***&design=flat",
                "jdbc:postgresql://db/x?sslpassword=s3cret       | jdbc:postgresql://db/x?sslpassword=***",
                "plain text: user:not@url                        | plain text: user:not@url"
            })
    void passwordsInUrlsAreMasked(String given, String expected) throws Exception {
        assertThat(transform("name: \"" + given + "\"\n").at("/name").asText()).isEqualTo(expected);
    }
}
