package dev.sallyport.toolkit.redact;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link RedactionComparison} with values that are themselves full of escapes; two classes, so that two JVMs share the cases. */
@Tag("differential")
class RedactorFormsDifferentialTest {

    @ParameterizedTest
    @CsvSource({"23, ab%2&#;+, 12", "14, a0\\u&#;%\u00E9, 20", "5, abcdefgh +/<>'\u00FC, 60"})
    void anyChunkingGivesWhatRedactingTheWholeGives(int share, String alphabet, int longest) {
        RedactionComparison.compare(share, alphabet, longest);
    }
}
