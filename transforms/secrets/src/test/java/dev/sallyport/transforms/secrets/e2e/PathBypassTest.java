package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The credential is for GET below {@code /v1} only, however the path is written. */
class PathBypassTest {

    private static final String RULE = "{host: api.localhost, methods: [GET], paths: [\"/v1/*\"]}";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin",
                "/v1x",
                "/V1/x",
                "//v1/x",
                "/v1/../admin",
                "/v1/%2e%2e/admin",
                "/v1/.%2E/admin",
                "/v1/..%2fadmin",
                "/v1%2f..%2fadmin",
                "/v1/..;/admin",
                "/v1/..;x=y/admin",
                "/v1/..%3b/admin",
                "/v1;x/y",
                "/v1/..\\admin",
                "/v1/%5c..%5cadmin",
                "/v1//../admin",
                "/v1/.//..//../admin",
                "/v1/%c0%ae%c0%ae/admin",
                "/v1/%e0%80%ae%e0%80%ae/admin",
                "/v1/%u002e%u002e/admin",
                "/v1/..%00/admin",
                "/v1#/../admin",
                "/admin?/v1/x",
                "/admin%3f/v1/x",
                "/admin%23/v1/x",
                "/./v1/x",
                "/x/../v1/y",
                "http://api.localhost/admin",
            })
    void noSpellingLeadsElsewhere(String target) throws Exception {
        assertThat(credentialed("GET", target)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "HEAD", "OPTIONS", "TRACE", "GETX", "G"})
    void noOtherMethod(String method) throws Exception {
        assertThat(credentialed(method, "/v1/x")).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1",
                "/v1/",
                "/v1/x",
                "/%76%31/x",
                "/v1/%252e%252e/x",
                "/v1//x",
                "/v1/x?a=/../..",
                "/v1/\\x",
                "/v1/%zz",
                "/v1/\u00E9",
                "/v1/./x",
            })
    void whatIsBelowGetsIt(String target) throws Exception {
        assertThat(credentialed("GET", target)).isOne();
    }

    private int credentialed(String method, String target) throws Exception {
        try (Gate gate = new Gate(folder, RULE)) {
            String authority = "api.localhost:" + gate.port();
            gate.http(method + " " + target + " HTTP/1.1\r\nHost: " + authority
                    + "\r\nAuthorization: Bearer PLACEHOLDER\r\nConnection: close\r\n\r\n");
            return gate.credentialed().size();
        }
    }
}
