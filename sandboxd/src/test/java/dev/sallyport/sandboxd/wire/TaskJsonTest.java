package dev.sallyport.sandboxd.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.TaskReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks survive the way through text, and text of another form is refused. */
class TaskJsonTest {

    private static JsonNode again(JsonNode node) throws Exception {
        return Lines.parse(node.toString());
    }

    @Test
    void aTaskSurvives() throws Exception {
        GuestTask task = new GuestTask(
                List.of("git", "it's", "$(a)\n\"b\"", ""), Map.of("prompt", "ä\n"), "prompt", Duration.ofSeconds(90));
        GuestTask plain = new GuestTask(List.of("true"), Duration.ofHours(1));

        assertThat(TaskJson.task(again(TaskJson.task(task)))).isEqualTo(task);
        assertThat(TaskJson.task(again(TaskJson.task(plain)))).isEqualTo(plain);
    }

    @Test
    void aReportSurvives() throws Exception {
        for (TaskReport report : List.of(
                TaskReport.absent(),
                new TaskReport(new TaskReport.State.Running(), 7, new byte[] {0, -1, 10}),
                new TaskReport(new TaskReport.State.Ended(124), 1L << 40, new byte[0]))) {
            assertThat(TaskJson.report(again(TaskJson.report(report)))).isEqualTo(report);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"command\": [], \"files\": {}, \"input\": null, \"limit_seconds\": 1}",
                "{\"command\": [\"a\", 1], \"files\": {}, \"input\": null, \"limit_seconds\": 1}",
                "{\"command\": [\"a\\u0000\"], \"files\": {}, \"input\": null, \"limit_seconds\": 1}",
                "{\"command\": [\"a\"], \"files\": {\"../x\": \"\"}, \"input\": null, \"limit_seconds\": 1}",
                "{\"command\": [\"a\"], \"files\": {}, \"input\": \"none\", \"limit_seconds\": 1}",
                "{\"command\": [\"a\"], \"files\": {}, \"input\": null, \"limit_seconds\": 0}",
                "{\"command\": [\"a\"], \"files\": {}, \"limit_seconds\": 1}"
            })
    void aTaskOfAnotherFormIsRefused(String json) throws Exception {
        JsonNode node = Lines.parse(json);

        assertThatThrownBy(() -> TaskJson.task(node)).isInstanceOf(WireException.class);
    }
}
