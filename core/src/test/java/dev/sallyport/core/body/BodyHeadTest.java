package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a head says of its body. */
class BodyHeadTest {

    private static HeaderBlock headers(String... fields) {
        HeaderBlock headers = new HeaderBlock(4);
        for (int i = 0; i < fields.length; i += 2) {
            headers.append(fields[i], fields[i + 1]);
        }
        return headers;
    }

    @Test
    void withoutFieldsABodyIsPlainAndHeld() {
        assertThat(BodyHead.of(headers(), 7)).isEqualTo(new BodyHead(7, null, false));
    }

    @Test
    void codingsOnSeveralLinesAreOneListInTheirOrder() {
        assertThat(BodyHead.of(headers("Content-Encoding", "gzip"), -1).contentEncoding())
                .isEqualTo("gzip");
        assertThat(BodyHead.of(headers("Content-Encoding", "br, x", "A", "1", "content-encoding", "gzip"), -1)
                        .contentEncoding())
                .isEqualTo("br, x,gzip");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/event-stream",
                "Text/Event-Stream; charset=utf-8",
                "application/grpc",
                "application/grpc+proto",
                "application/grpc-web",
                "application/x-ndjson",
                "application/json-seq",
                "multipart/x-mixed-replace; boundary=x"
            })
    void whatIsActedOnAsItComesIsNotHeldBack(String type) {
        assertThat(BodyHead.of(headers("Content-Type", type), -1).streamed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "text/event", "application/json", "multipart/form-data", "x/text/event-stream"})
    void anythingElseMayBeHeldBack(String type) {
        assertThat(BodyHead.of(headers("Content-Type", type), -1).streamed()).isFalse();
    }
}
