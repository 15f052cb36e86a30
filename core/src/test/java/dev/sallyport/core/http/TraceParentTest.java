package dev.sallyport.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** W3C Trace Context, 3.2. */
class TraceParentTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    @Test
    void a_field_names_trace_span_and_flags() {
        TraceParent parent = TraceParent.parse("00-" + TRACE + "-" + SPAN + "-01");

        assertThat(parent).isEqualTo(new TraceParent(TRACE, SPAN, 1));
        assertThat(parent.sampled()).isTrue();
        assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-02").sampled())
                .isFalse();
    }

    @Test
    void another_span_of_the_trace_keeps_trace_and_flags() {
        assertThat(new TraceParent(TRACE, SPAN, 3).from("00f067aa0ba902b7"))
                .isEqualTo("00-" + TRACE + "-00f067aa0ba902b7-03");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cc-" + TRACE + "-" + SPAN + "-01",
                "cc-" + TRACE + "-" + SPAN + "-01-what-comes-later",
                "01-" + TRACE + "-" + SPAN + "-01-"
            })
    void a_later_version_is_read_as_the_first_one(String field) {
        assertThat(TraceParent.parse(field)).isEqualTo(new TraceParent(TRACE, SPAN, 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-" + TRACE + "-" + SPAN + "-1",
                "00-" + TRACE + "-" + SPAN + "-01-x",
                "00-" + TRACE + "-" + SPAN + "-0g",
                "ff-" + TRACE + "-" + SPAN + "-01",
                "0x-" + TRACE + "-" + SPAN + "-01",
                "cc-" + TRACE + "-" + SPAN + "-01.x",
                "00_" + TRACE + "-" + SPAN + "-01",
                "00-" + TRACE + "_" + SPAN + "-01",
                "00-" + TRACE + "-" + SPAN + "_01",
                "00-00000000000000000000000000000000-" + SPAN + "-01",
                "00-" + TRACE + "-0000000000000000-01",
                "00-0AF7651916CD43DD8448EB211C80319C-" + SPAN + "-01"
            })
    void anything_else_is_no_field(String field) {
        assertThat(TraceParent.parse(field)).isNull();
    }

    @Test
    void new_spans_have_identifiers_of_their_own() {
        String one = TraceParent.newSpanId();

        assertThat(one).matches("[0-9a-f]{16}").isNotEqualTo(TraceParent.newSpanId());
    }
}
