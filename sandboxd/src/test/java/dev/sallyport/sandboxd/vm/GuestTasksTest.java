package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.TaskReport;
import dev.sallyport.sandboxd.wire.WireException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a guest says of its tasks is believed only where it could be so. */
class GuestTasksTest {

    private static TaskReport parse(String said) throws WireException {
        return GuestTasks.parse(said.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void aReportIsALineAndOutput() throws Exception {
        assertThat(parse("absent 0\n")).isEqualTo(TaskReport.absent());
        assertThat(parse("running 131072\na\nb"))
                .isEqualTo(new TaskReport(new TaskReport.State.Running(), 131_072, new byte[] {'a', '\n', 'b'}));
        assertThat(parse("ended 124 5\n")).isEqualTo(new TaskReport(new TaskReport.State.Ended(124), 5, new byte[0]));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "running 0",
                "running\n",
                "running -1\n",
                "ended 0\n",
                "ended 1234 0\n",
                "absent 0 \n",
                "x 0\n"
            })
    void nonsenseIsNoReport(String said) {
        assertThatThrownBy(() -> parse(said)).isInstanceOf(WireException.class);
    }

    @Test
    void aLineThatDoesNotEndIsNoReport() {
        assertThatThrownBy(() -> parse("running 0" + "0".repeat(100_000) + "\n"))
                .isInstanceOf(WireException.class);
    }
}
