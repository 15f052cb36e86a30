package dev.sallyport.ctl.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.ctl.TestControl;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Target;
import dev.sallyport.ctl.problem.Problem;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Somebody else changes an object between the comparison and the change. */
class ApplicationTest {

    private static final Plan.Wishes PRUNING = new Plan.Wishes(true, false, Map.of());

    private final TestControl control = TestControl.shared();
    private final String key = control.newKey();

    private Plan plan(ApiClient api, String yaml) throws Exception {
        InputStream in = new ByteArrayInputStream(yaml.replace("\\n", "\n").getBytes(StandardCharsets.UTF_8));
        return Plan.of(Manifests.read(List.of("-"), in), api, PRUNING);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "kind: network_policy\\nname: n\\npriority: 1 | /v1/policies/network | {\"name\": \"n\", \"priority\": 2} | {\"name\": \"n\", \"priority\": 3}",
                "kind: network_policy\\nname: other\\npriority: 1 | /v1/policies/network | {\"name\": \"n\", \"priority\": 2} | {\"name\": \"n\", \"priority\": 3}",
                "kind: secret\\nname: n\\nenv_var: B\\nvalue_env: X | /v1/secrets | {\"name\": \"n\", \"secret\": \"s\", \"env_var\": \"A\"} | {\"comment\": \"mine\"}",
                "kind: environment_variable\\nkey: n\\nvalue: b | /v1/env/n | {\"value\": \"a\"} | {\"value\": \"mine\"}",
                "kind: egress_policy\\nmode: enforce | /v1/egress/policy | {\"mode\": \"warn\"} | {\"mode\": \"enforce\"}"
            })
    void isNotOverwritten(String yaml, String path, String before, String meanwhile) throws Exception {
        boolean single = path.endsWith("/n") || path.endsWith("/policy");
        var made = control.send(single ? "PUT" : "POST", path, key, before);
        String id = made.at("/data/id").asText(made.path("id").asText());
        String object = single ? path : path + "/" + id;
        try (ApiClient api =
                ApiClient.of(new Target(URI.create(control.url()), key, null, Duration.ofSeconds(30)), Thread::sleep)) {
            Plan plan = plan(api, yaml);
            control.send(path.equals("/v1/secrets") ? "PATCH" : "PUT", object, key, meanwhile);
            var theirs = control.send("GET", object, key, null);
            List<Change> done = new ArrayList<>();

            assertThatThrownBy(() -> new Application(api, Map.of(), call -> call).run(plan, done::add))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("it was changed meanwhile (expected: ");

            assertThat(control.send("GET", object, key, null)).isEqualTo(theirs);
            assertThat(done).isEmpty();
        }
    }

    @Test
    void aVariableThatSomebodyHasMadeMeanwhileIsNotOverwritten() throws Exception {
        try (ApiClient api =
                ApiClient.of(new Target(URI.create(control.url()), key, null, Duration.ofSeconds(30)), Thread::sleep)) {
            Plan plan = plan(api, "kind: environment_variable\nkey: NEW\nvalue: mine");
            control.send("PUT", "/v1/env/NEW", key, "{\"value\": \"theirs\"}");

            assertThatThrownBy(() -> new Application(api, Map.of(), call -> call).run(plan, change -> {}))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("it was changed meanwhile (expected: ");

            assertThat(control.send("GET", "/v1/env/NEW", key, null)
                            .path("value")
                            .asText())
                    .isEqualTo("theirs");
        }
    }
}
