package dev.sallyport.transforms.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.PathSpellings;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
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

    private static String judge(ModelServer model) {
        return JudgedProxy.judge("llm_a", model.url() + "/v1", "").replace("host: \"*\"", "host: \"*\", paths: [/mcp]");
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void whatTheModelDeniesIsRefused(String path) throws Exception {
        try (ModelServer model = new ModelServer();
                JudgedProxy proxy = JudgedProxy.start(folder, judge(model))) {
            model.script(ModelServer.Script.verdict("DENY", "no"));

            HttpResponse<String> response = proxy.get(path);
            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body())
                    .contains("\"transform\":\"judge\",\"name\":\"one\",\"rule\":\"transforms[0].rules[0]\"");
            assertThat(proxy.forwarded()).isEmpty();
        }
    }

    @Test
    void otherPathsAreNotJudged() throws Exception {
        try (ModelServer model = new ModelServer();
                JudgedProxy proxy = JudgedProxy.start(folder, judge(model))) {
            model.script(ModelServer.Script.verdict("DENY", "no"));

            assertThat(proxy.get("/tools").statusCode()).isEqualTo(200);
        }
    }
}
