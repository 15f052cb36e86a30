package dev.sallyport.transforms.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.PathSpellings;
import dev.sallyport.transform.v1.TransformAction;
import dev.sallyport.transform.v1.TransformRequestResponse;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules with paths are not passed by another spelling of a path. */
class SpellingTest {

    @TempDir
    Path folder;

    static List<String> spellings() {
        return PathSpellings.of("/mcp");
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void theServerIsAsked(String path) throws Exception {
        try (PolicyServer server = PolicyServer.start()) {
            server.requests(question -> TransformRequestResponse.newBuilder()
                    .setAction(TransformAction.TRANSFORM_ACTION_REJECT)
                    .build());
            try (Gate gate = Gate.start(folder, Gate.ask(server, ", rules: [{host: localhost, paths: [/mcp]}]"))) {
                HttpResponse<String> response = gate.get(path);
                assertThat(response.statusCode()).isEqualTo(403);
                assertThat(response.body())
                        .contains("\"transform\":\"grpc\",\"name\":\"house\",\"rule\":\"transforms[0].rules[0]\"");
                assertThat(gate.forwarded()).isEmpty();
                assertThat(gate.get("/tools").statusCode()).isEqualTo(200);
            }
        }
    }
}
