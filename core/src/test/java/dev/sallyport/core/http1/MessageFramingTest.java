package dev.sallyport.core.http1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Heads are given as lines with bars between them; L is a Content-Length, T a Transfer-Encoding, in capitals after !. */
@DisplayName("Where a message ends")
class MessageFramingTest {

    private static HeaderBlock block(String lines) {
        HeaderBlock block = new HeaderBlock();
        block.append("Host", "a.test");
        for (String line : lines == null ? new String[0] : lines.split("\\|", -1)) {
            String name = line.startsWith("L") ? "Content-Length" : "Transfer-Encoding";
            block.append(line.charAt(1) == '!' ? name.toUpperCase(Locale.ROOT) : name, line.substring(2));
        }
        return block;
    }

    @ParameterizedTest
    @CsvSource({
        ", true, 0",
        ", false, 0",
        "L:0, true, 0",
        "L:7, true, 7",
        "L!007, false, 7",
        "L:999999999999999999, true, 999999999999999999",
        "T:chunked, true, -1",
        "T!CHUNKED, true, -1",
    })
    @DisplayName("is told of a request by its framing fields")
    void ofRequest(String lines, boolean http11, long length) throws AmbiguousFramingException {
        assertThat(MessageFraming.ofRequest(block(lines), http11)).isEqualTo(length);
    }

    @ParameterizedTest
    @CsvSource({
        "L:1|L:1, true, there is more than one Content-Length",
        "L:1|L:2, true, there is more than one Content-Length",
        "'L:1, 1', true, the Content-Length is not a number of bytes",
        "L:, true, the Content-Length is not a number of bytes",
        "L:+1, true, the Content-Length is not a number of bytes",
        "L:-1, true, the Content-Length is not a number of bytes",
        "L:0x1, true, the Content-Length is not a number of bytes",
        "L:1000000000000000000, true, the Content-Length is not a number of bytes",
        "L:1|T:chunked, true, there are both Content-Length and Transfer-Encoding",
        "T:chunked|L:1, false, there are both Content-Length and Transfer-Encoding",
        "T:chunked, false, Transfer-Encoding in a request of HTTP/1.0",
        "T:gzip, true, the Transfer-Encoding is not exactly chunked",
        "'T:gzip, chunked', true, the Transfer-Encoding is not exactly chunked",
        "T:gzip|T:chunked, true, the Transfer-Encoding is not exactly chunked",
        "T:chunked|T:chunked, true, the Transfer-Encoding is not exactly chunked",
    })
    @DisplayName("is not guessed where a request could be read in two ways")
    void ofAmbiguousRequest(String lines, boolean http11, String fault) {
        assertThatExceptionOfType(AmbiguousFramingException.class)
                .isThrownBy(() -> MessageFraming.ofRequest(block(lines), http11))
                .satisfies(e -> assertThat(e.fault()).isEqualTo(fault));
    }

    @ParameterizedTest
    @CsvSource({
        ", false, -2",
        "L:0, false, 0",
        "L:7, false, 7",
        "T:Chunked, false, -1",
        ", true, 0",
        "L:7, true, 0",
        "L:x, true, 0",
        "T:chunked, true, 0",
    })
    @DisplayName("is told of a response by its framing fields, and by what it answers")
    void ofResponse(String lines, boolean bodiless, long length) throws AmbiguousFramingException {
        assertThat(MessageFraming.ofResponse(block(lines), bodiless)).isEqualTo(length);
    }

    @ParameterizedTest
    @CsvSource({
        "T:gzip, false, a transfer coding that was not asked for (expected: chunked)",
        "'T:gzip, chunked', true, a transfer coding that was not asked for (expected: chunked)",
        "T:chunked|T:chunked, false, a transfer coding that was not asked for (expected: chunked)",
        "L:x, false, the Content-Length is not a number of bytes",
        "L:1000000000000000000, false, the Content-Length is not a number of bytes",
    })
    @DisplayName("is not guessed where a response could be read in two ways")
    void ofAmbiguousResponse(String lines, boolean bodiless, String fault) {
        assertThatExceptionOfType(AmbiguousFramingException.class)
                .isThrownBy(() -> MessageFraming.ofResponse(block(lines), bodiless))
                .satisfies(e -> assertThat(e.fault()).isEqualTo(fault));
    }

    @ParameterizedTest
    @CsvSource({
        "100, true",
        "199, true",
        "200, false",
        "204, true",
        "205, false",
        "304, true",
        "404, false",
        "999, false"
    })
    @DisplayName("is its head for some responses")
    void isBodiless(int status, boolean bodiless) {
        assertThat(MessageFraming.isBodiless(status, false)).isEqualTo(bodiless);
        assertThat(MessageFraming.isBodiless(status, true)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "fine",
            value = {
                "'', 0, true, fine",
                "'', -1, false, fine",
                "L:5, 5, false, fine",
                "L:0, 0, true, fine",
                "L:5, 4, false, Content-Length is not the length of the message",
                "L:5, -1, false, Content-Length is not the length of the message",
                "L:x, -1, false, Content-Length is not the length of the message",
                "L:5|L:5, 5, false, Content-Length is not the length of the message",
                "L:5, 5, true, Content-Length of a message without a body (expected: 0)",
                "T:chunked, -1, false, 'a Transfer-Encoding field (expected: none, the connection adds it)'",
            })
    @DisplayName("must be the same for every reader of a request that is sent")
    void findFault(String lines, long length, boolean end, String fault) {
        HeaderBlock headers = block(lines.isEmpty() ? null : lines);

        assertThat(MessageFraming.findFault(new RequestMessage("POST", "/", null, headers, length), end))
                .isEqualTo(fault);
    }
}
