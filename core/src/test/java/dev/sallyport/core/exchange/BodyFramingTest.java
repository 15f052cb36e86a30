package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One length or none, and no digest of a body that is no more. */
class BodyFramingTest {

    private static HeaderBlock headers(String... fields) {
        HeaderBlock headers = new HeaderBlock(8);
        for (int i = 0; i < fields.length; i += 2) {
            headers.append(fields[i], fields[i + 1]);
        }
        return headers;
    }

    private static ResponseMessage response(long length, String... fields) {
        return new ResponseMessage(200, "", headers(fields), length);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, Integer.MAX_VALUE + 1L, Long.MAX_VALUE})
    void theLengthThereIsReplacesTheOneThatWasSaid(long length) {
        ResponseMessage head = response(7, "A", "1", "content-length", "7", "B", "2");
        BodyFraming.apply(head, length, false);

        assertThat(head.length()).isEqualTo(length);
        assertThat(head.headers().all("Content-Length")).containsExactly(Long.toString(length));
        assertThat(head.headers().indexOf("Content-Length", 0)).isOne();
    }

    @Test
    void aLengthThatIsKnownOnlyNowIsAdded() {
        ResponseMessage head = response(-1, "A", "1");
        BodyFraming.apply(head, 3, true);

        assertThat(head.headers().all("Content-Length")).containsExactly("3");
    }

    @Test
    void aLengthThatIsNotKnownAnyMoreIsRemoved() {
        ResponseMessage head = response(7, "Content-Length", "7", "content-length", "7");
        BodyFraming.apply(head, -1, true);

        assertThat(head.length()).isEqualTo(-1);
        assertThat(head.headers().contains("Content-Length")).isFalse();
    }

    @Test
    void aBodyThatIsAnotherTakesItsDigestsAlongAndNothingElse() {
        String[] fields = {
            "Content-MD5",
            "a",
            "digest",
            "b",
            "Content-Digest",
            "c",
            "Repr-Digest",
            "d",
            "Content-Digest",
            "e",
            "Want-Digest",
            "f",
            "ETag",
            "g"
        };
        RequestMessage request = new RequestMessage("POST", "/", null, headers(fields), 2);
        ResponseMessage response = response(2, fields);
        BodyFraming.apply(request, 2, true);
        BodyFraming.apply(response, 2, true);

        for (HeaderBlock headers : new HeaderBlock[] {request.headers(), response.headers()}) {
            assertThat(headers.size()).isEqualTo(3);
            assertThat(headers.first("Want-Digest")).isEqualTo("f");
            assertThat(headers.first("ETag")).isEqualTo("g");
            assertThat(headers.first("Content-Length")).isEqualTo("2");
        }
    }

    @Test
    void anotherLengthAloneLeavesDigests() {
        ResponseMessage head = response(-1, "Content-Digest", "a");
        BodyFraming.apply(head, 2, false);

        assertThat(head.headers().first("Content-Digest")).isEqualTo("a");
        assertThat(head.headers().first("Content-Length")).isEqualTo("2");
    }

    @Test
    void aHeadThatIsRightIsNotTouched() {
        RequestMessage request = new RequestMessage("POST", "/", null, headers("Content-Length", " 02"), 2);
        BodyFraming.apply(request, 2, false);

        assertThat(request.headers().all("Content-Length")).containsExactly(" 02");
    }
}
