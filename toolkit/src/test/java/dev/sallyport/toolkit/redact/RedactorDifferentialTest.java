package dev.sallyport.toolkit.redact;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link RedactionComparison} with values of few characters; two classes, so that two JVMs share the cases. */
@Tag("differential")
class RedactorDifferentialTest {

    @ParameterizedTest
    @CsvSource({"29, ab, 10", "29, ab\"\\/, 9"})
    void anyChunkingGivesWhatRedactingTheWholeGives(int share, String alphabet, int longest) {
        RedactionComparison.compare(share, alphabet, longest);
    }
}
