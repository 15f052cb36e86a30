package dev.sallyport.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** RFC 9110, 7.6.1. */
class HopByHopTest {

    @Test
    void everyFieldThatAnyConnectionLineNamesGoes() {
        // given
        HeaderBlock headers = new HeaderBlock(8);
        headers.append("Connection", "x-one, X-TWO");
        headers.append("X-One", "1");
        headers.append("Accept", "*/*");
        headers.append("x-two", "2");
        headers.append("x-ONE", "3");
        headers.append("connection", " ,x-three,,");
        headers.append("X-Three", "4");
        headers.append("X-Four", "5");

        // when
        HopByHop.strip(headers);

        // then
        assertThat(names(headers)).containsExactly("Accept", "X-Four");
    }

    @Test
    void framingAndRoutingStayWhateverConnectionNames() {
        // given
        HeaderBlock headers = new HeaderBlock(4);
        headers.append("Connection", "host, content-length, te, connection, keep-alive");
        headers.append("Host", "example.com");
        headers.append("Content-Length", "3");
        headers.append("TE", "trailers, gzip");

        // when
        HopByHop.strip(headers);

        // then
        assertThat(names(headers)).containsExactly("Host", "Content-Length", "TE");
        assertThat(headers.first("TE")).isEqualTo("trailers");
    }

    @Test
    void aHeadOfNothingButNamesIsStripped() {
        // given
        int lines = 20_000;
        HeaderBlock headers = new HeaderBlock(lines);
        StringBuilder named = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            named.append("a").append(i).append(',');
            headers.append(i % 2 == 0 ? "A" + i : "Kept", "");
        }
        headers.append("Connection", named.toString());

        // when
        HopByHop.strip(headers);

        // then
        assertThat(names(headers)).hasSize(lines / 2).containsOnly("Kept");
    }

    private static List<String> names(HeaderBlock headers) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < headers.size(); i++) {
            names.add(headers.name(i));
        }
        return names;
    }
}
