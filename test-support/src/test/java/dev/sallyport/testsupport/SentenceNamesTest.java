package dev.sallyport.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentenceNamesTest {

    @ParameterizedTest
    @CsvSource({
        "aReloadKeepsTheConnection,           A reload keeps the connection",
        "anHttp2OriginIsReused,               An HTTP/2 origin is reused",
        "http2IsReused,                       HTTP/2 is reused",
        "grpcCallsEnd,                        gRPC calls end",
        "curlWithPlainHttp11,                 Curl with plain HTTP/1.1",
        "aHeaderBombIs431,                    A header bomb is 431",
        "emptyRules_matchNothing,             Empty rules: match nothing",
        "an_orderly_end_leaves_nothing,       An orderly end leaves nothing",
        "requestsCarryTheTTLOfAValue,         Requests carry the TTL of a value",
        "valuesAreUtf8,                       Values are UTF8",
    })
    void aNameBecomesASentence(String name, String sentence) {
        assertThat(SentenceNames.sentence(name)).isEqualTo(sentence);
    }

    @Test
    void theBuildSetsThisGenerator(TestInfo test) {
        assertThat(test.getDisplayName()).isEqualTo("The build sets this generator");
    }
}
