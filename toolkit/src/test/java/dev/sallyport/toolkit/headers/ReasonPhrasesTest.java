package dev.sallyport.toolkit.headers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReasonPhrasesTest {

    @ParameterizedTest
    @CsvSource({
        "200, OK",
        "403, Forbidden",
        "413, Content Too Large",
        "414, URI Too Long",
        "416, Range Not Satisfiable",
        "421, Misdirected Request",
        "422, Unprocessable Content",
        "425, Too Early",
        "431, Request Header Fields Too Large",
        "451, Unavailable For Legal Reasons",
        "504, Gateway Timeout",
        "511, Network Authentication Required",
        "299, Success (299)",
        "499, Client Error (499)",
        "599, Server Error (599)",
        "600, Unknown Status (600)",
    })
    void areThoseOfTheRegistry(int status, String phrase) {
        assertThat(ReasonPhrases.of(status)).isEqualTo(phrase);
    }
}
