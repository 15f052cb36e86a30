package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The credential is for {@code api.localhost}. Whatever a workload says about hosts, it goes there only, or nothing goes
 * anywhere. {@code $} is a line end, {@code #} the origin's port; each request also carries the placeholder.
 */
class WrongHostTest {

    private static final String PLACEHOLDER = "Authorization: Bearer PLACEHOLDER\r\nConnection: close\r\n\r\n";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1$Host: evil.localhost:#$",
                "GET / HTTP/1.1$Host: evil.localhost:#$Host: api.localhost:#$",
                "GET / HTTP/1.1$Host: api.localhost:#, evil.localhost:#$",
                "GET / HTTP/1.1$Host: api.localhost@evil.localhost:#$",
                "GET / HTTP/1.1$Host: api.localhost:#@evil.localhost:#$",
                "GET / HTTP/1.1$Host: evil.localhost:#/api.localhost$",
                "GET / HTTP/1.1$Host: evil.localhost\\api.localhost:#$",
                "GET / HTTP/1.1$Host: api.localhost.evil.localhost:#$",
                "GET / HTTP/1.1$Host: evilapi.localhost:#$",
                "GET / HTTP/1.1$Host: api.localhost..:#$",
                "GET / HTTP/1.1$Host: api%2elocalhost:#$",
                "GET / HTTP/1.1$Host: \u00E0pi.localhost:#$",
                "GET / HTTP/1.1$Host: 127.0.0.1:#$",
                "GET / HTTP/1.1$Host: evil.localhost:#$X-Forwarded-Host: api.localhost:#$",
                "GET / HTTP/1.1$Host: evil.localhost:#$ api.localhost$",
                "GET http://evil.localhost:#/ HTTP/1.1$Host: api.localhost:#$",
                "GET http://evil.localhost:#?@api.localhost:#/ HTTP/1.1$Host: api.localhost:#$",
                "GET http://evil.localhost:#\\@api.localhost:#/ HTTP/1.1$Host: api.localhost:#$",
                "GET http://api.localhost:#@evil.localhost:#/ HTTP/1.1$Host: api.localhost:#$",
                "GET http://evil.localhost:#;@api.localhost:#/ HTTP/1.1$Host: api.localhost:#$",
                "GET http://evil.localhost:#/ HTTP/1.0$",
                "GET / HTTP/1.1$Host: evil.localhost:#$Connection: Host$",
                "POST / HTTP/1.1$Host: evil.localhost:#$Content-Length: 5$Transfer-Encoding: chunked$",
                "POST / HTTP/1.1$Host: evil.localhost:#$Transfer-Encoding : chunked$",
            })
    void theCredentialStaysWhereItBelongs(String request) throws Exception {
        try (Gate gate = new Gate(folder, "{host: api.localhost}")) {
            // when
            String answer = gate.http(filled(request, gate) + PLACEHOLDER);

            // then
            assertThat(gate.credentialed()).isEmpty();
            assertThat(answer).startsWith("HTTP/1.1 ").doesNotContain(Gate.REAL);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONNECT evil.localhost:# HTTP/1.1$$GET / HTTP/1.1$Host: api.localhost:#$",
                "CONNECT api.localhost:# HTTP/1.1$$GET / HTTP/1.1$Host: evil.localhost:#$",
                "CONNECT api.localhost:# HTTP/1.1$$GET http://evil.localhost:#/ HTTP/1.1$Host: api.localhost:#$",
                "CONNECT api.localhost:# HTTP/1.1$$GET / HTTP/1.1$Host: api.localhost:1$",
                "CONNECT api.localhost:# HTTP/1.1$$CONNECT evil.localhost:# HTTP/1.1$",
            })
    void aTunnelLeadsToOneDestination(String request) throws Exception {
        try (Gate gate = new Gate(folder, "{host: api.localhost}")) {
            // when
            gate.tunnel(filled(request, gate) + PLACEHOLDER);

            // then
            assertThat(gate.arrived()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1$Host: api.localhost:#$",
                "GET / HTTP/1.1$Host: API.LocalHost.:#$",
                "GET http://api.localhost:#/ HTTP/1.1$Host: evil.localhost:#$",
            })
    void theRightHostGetsIt(String request) throws Exception {
        try (Gate gate = new Gate(folder, "{host: api.localhost}")) {
            // when
            gate.http(filled(request, gate) + PLACEHOLDER);

            // then
            assertThat(gate.credentialed()).hasSize(1);
        }
    }

    @Test
    void eachRequestOfAConnectionIsJudgedByItself() throws Exception {
        try (Gate gate = new Gate(folder, "{host: api.localhost}")) {
            // when
            gate.http(filled("GET /1 HTTP/1.1$Host: api.localhost:#$$GET /2 HTTP/1.1$Host: evil.localhost:#$$", gate)
                    + filled("GET /3 HTTP/1.1$Host: api.localhost:#$", gate)
                    + PLACEHOLDER);

            // then
            assertThat(gate.arrived()).isEqualTo(3);
            assertThat(gate.credentialed()).hasSize(2).noneMatch(request -> request.startsWith("/2"));
            gate.close();
            assertThat(gate.audited()).contains("\"path\":\"/2\"").doesNotContain(Gate.REAL);
        }
    }

    private static String filled(String request, Gate gate) {
        return request.replace("$", "\r\n").replace("#", Integer.toString(gate.port()));
    }
}
