package dev.sallyport.sandboxd.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read from a socket. */
class LinesTest {

    private static JsonNode read(String text, int longest) throws Exception {
        return Lines.read(
                Channels.newChannel(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))), longest);
    }

    @Test
    void aLineIsAnObject() throws Exception {
        assertThat(read("{\"a\":\"é\"}\n", 100).path("a").asText()).isEqualTo("é");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[]\n",
                "1\n",
                "{}{}\n",
                "{}\n{}\n",
                "{\"a\":1,\"a\":2}\n",
                "{\"a\":NaN}\n",
                "\n",
                "{'a':1}\n"
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> read(text, 100)).isInstanceOf(WireException.class);
    }

    @Test
    void aLineHasALimit() {
        assertThatThrownBy(() -> read("{\"a\":\"" + "x".repeat(20_000) + "\"}\n", 10_000))
                .isInstanceOf(WireException.class)
                .hasMessage("the line has more than 10000 bytes");
    }

    @Test
    void aLineWithoutAnEndHasALimitToo() {
        assertThatThrownBy(() -> read(" ".repeat(20_000), 10_000)).hasMessageContaining("more than 10000 bytes");
    }

    @Test
    void roomIsTakenOnceForALongRequestAndNeverForAShortOne() throws Exception {
        assertThat(roomsTaken(Lines.LONGEST_SHORT_REQUEST)).isZero();
        assertThat(roomsTaken(Lines.LONGEST_SHORT_REQUEST + 1)).isEqualTo(1);
        assertThat(roomsTaken(Lines.LONGEST_REQUEST)).isEqualTo(1);
    }

    private static int roomsTaken(int length) throws Exception {
        AtomicInteger taken = new AtomicInteger();
        byte[] line = (" ".repeat(length - 2) + "{}\n").getBytes(StandardCharsets.UTF_8);
        Lines.readRequest(Channels.newChannel(new ByteArrayInputStream(line)), taken::incrementAndGet);
        return taken.get();
    }

    @Test
    void depthHasALimit() {
        assertThatThrownBy(() -> read("{\"a\":" + "[".repeat(100) + "]".repeat(100) + "}\n", 10_000))
                .isInstanceOf(WireException.class);
    }
}
