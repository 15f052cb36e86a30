package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.spi.Decision;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/spec/decisions.md, section 14: the workload's own {@code traceparent} passes unchanged unless {@code proxy.trace}
 * says {@code continue} or {@code strip}.
 */
class TraceTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "b7ad6b7169203331";
    private static final String FIELD = "00-" + TRACE + "-" + PARENT + "-01";
    private static final String STATE = "rojo=00f067aa0ba902b7";

    @TempDir
    Path folder;

    private final BlockingQueue<AuditRecord> records = new LinkedBlockingQueue<>();

    /** What a transform sees and the origin gets of these lines, and the record that listeners get. */
    private record Passed(String seen, String head, AuditRecord record) {}

    private Passed pass(String mode, String... lines) throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        try (TestOrigin origin = TestOrigin.handling(request -> TestOrigin.ok(request.head()));
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_deny_cidrs: []", "trace: " + mode)
                        .listener(records::add)
                        .transform("looks", request -> {
                            seen.add(String.valueOf(request.head().headers().all("traceparent")));
                            return Decision.proceed();
                        })
                        .start()) {
            String head = proxy.get(origin, "/x", lines).body();
            return new Passed(seen.remove(), head, records.poll(Patience.SECONDS, TimeUnit.SECONDS));
        }
    }

    private Passed pass(String mode) throws Exception {
        return pass(mode, "Traceparent: " + FIELD, "tracestate: " + STATE, "baggage: a=1");
    }

    @Test
    void the_fields_pass_unchanged() throws Exception {
        Passed passed = pass("pass");

        assertThat(passed.head()).contains("Traceparent: " + FIELD + "\r\n", "tracestate: " + STATE, "baggage: a=1");
        assertThat(passed.seen()).isEqualTo("[" + FIELD + "]");
        assertThat(passed.record().traceParent()).isEqualTo(FIELD);
        assertThat(passed.record().spanId()).isEmpty();
        assertThat(passed.record().secure()).isFalse();
    }

    @Test
    void continue_names_the_span_of_the_proxy() throws Exception {
        Passed passed = pass("continue");

        String span = passed.record().spanId();
        assertThat(span).matches("[0-9a-f]{16}").isNotEqualTo(PARENT);
        assertThat(passed.head()).contains("Traceparent: 00-" + TRACE + "-" + span + "-01\r\n", "tracestate: " + STATE);
        assertThat(passed.record().traceParent()).isEqualTo(FIELD);
        // so that a signature covers what is sent
        assertThat(passed.seen()).isEqualTo("[00-" + TRACE + "-" + span + "-01]");
    }

    @Test
    void strip_removes_them_and_the_record_still_knows() throws Exception {
        Passed passed = pass("strip");

        assertThat(passed.head())
                .doesNotContainIgnoringCase("traceparent")
                .doesNotContainIgnoringCase("tracestate")
                .contains("baggage: a=1");
        assertThat(passed.seen()).isEqualTo("[]");
        assertThat(passed.record().traceParent()).isEqualTo(FIELD);
    }

    @Test
    void a_request_without_trace_gets_none() throws Exception {
        for (String mode : new String[] {"pass", "continue", "strip"}) {
            Passed passed = pass(mode, "X: y");
            assertThat(passed.head()).doesNotContainIgnoringCase("traceparent");
            assertThat(passed.record().traceParent()).isEmpty();
        }
    }

    @Test
    void what_cannot_be_read_continues_no_trace() throws Exception {
        Passed broken = pass("continue", "traceparent: nonsense");
        assertThat(broken.head()).contains("traceparent: nonsense");
        assertThat(broken.record().spanId()).isEmpty();

        Passed twice = pass("continue", "traceparent: " + FIELD, "traceparent: " + FIELD);
        assertThat(twice.head()).contains("traceparent: " + FIELD + "\r\ntraceparent: " + FIELD);
        assertThat(twice.record().traceParent()).isEmpty();
        assertThat(twice.record().spanId()).isEmpty();
    }

    @Test
    void the_json_record_has_no_word_of_it() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok(""));
                TestProxy proxy = TestProxy.builder(folder).start()) {
            Wire.Message answer = proxy.get(origin, "/x", "traceparent: " + FIELD);
            assertThat(answer.head()).startsWith("HTTP/1.1 200 ");
            assertThat(proxy.record().toString()).doesNotContain(TRACE);
        }
    }
}
