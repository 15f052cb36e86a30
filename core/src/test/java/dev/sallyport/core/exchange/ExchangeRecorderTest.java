package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.MutableAuditRecord;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One record for each exchange, whatever happens to it and however often it ends. */
class ExchangeRecorderTest {

    private static final Refusal DENIED = new Refusal(403, "not_allowed", "No.", "http_request_denied");
    private static final Refusal BROKEN = new Refusal(502, "upstream_broken", "No.", "http_protocol_error");

    private final ExchangeFixture exchange = new ExchangeFixture("GET", 0, false, null);

    @AfterEach
    void close() {
        exchange.close();
    }

    private ExchangeRecorder recorder() {
        AuditSlot slot = exchange.gate().tryAcquire();
        if (slot == null) {
            throw new AssertionError("no slot");
        }
        return new ExchangeRecorder(
                exchange.services().audit(),
                exchange.generation(),
                exchange.channel().eventLoop(),
                slot,
                new MutableAuditRecord("01J0", 0),
                System.nanoTime());
    }

    private static Consumer<ExchangeRecorder> event(String name) {
        return switch (name) {
            case "nothing" -> recorder -> {};
            case "denied" -> recorder -> recorder.refused(DENIED, "");
            case "denied, told" -> recorder -> recorder.refused(DENIED, "port 81");
            case "broken" -> recorder -> recorder.refused(BROKEN, "");
            case "rejected" ->
                recorder -> {
                    recorder.rejectedBy("allowlist");
                    recorder.refused(DENIED, "");
                };
            case "rejected, told" ->
                recorder -> {
                    recorder.rejectedBy("allowlist");
                    recorder.refused(DENIED, "no rule");
                };
            case "stubbed" -> recorder -> recorder.stubbedBy("oauth_token");
            case "failed" -> recorder -> recorder.failed("upstream_timeout");
            case "refused late" -> recorder -> recorder.refusedLate("body_timeout");
            case "gone" -> recorder -> recorder.clientGone("left");
            case "left" -> recorder -> recorder.gone(DisconnectReason.LEFT);
            case "ended" -> recorder -> recorder.ended("idle_timeout");
            default -> throw new AssertionError(name);
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nothing        | allow         | ''",
                "denied         | reject        | not_allowed",
                "denied, told   | reject        | not_allowed: port 81",
                "broken         | error         | upstream_broken",
                "rejected       | reject        | ''",
                "rejected, told | reject        | not_allowed: no rule",
                "stubbed        | stub          | ''",
                "failed         | error         | upstream_timeout",
                "refused late   | reject        | body_timeout",
                "gone           | client_cancel | left",
                "left           | client_cancel | ''",
                "ended          | allow         | idle_timeout",
            })
    void theRecordSaysHowTheExchangeEnded(String event, String action, String error) throws Exception {
        ExchangeRecorder recorder = recorder();
        event(event).accept(recorder);
        recorder.close();

        String record = exchange.record();
        assertThat(record).contains("\"action\":\"" + action + "\"");
        if (error.isEmpty()) {
            assertThat(record).doesNotContain("\"error\":");
        } else {
            assertThat(record).contains("\"error\":\"" + error + "\"");
        }
    }

    @Test
    void bytesAndStatusAreAddedUp() throws Exception {
        ExchangeRecorder recorder = recorder();
        recorder.requestBytes(3);
        recorder.requestBytes(4);
        recorder.responseBytes(5);
        recorder.status(203);
        recorder.close();

        assertThat(exchange.record()).contains("\"request_bytes\":7", "\"response_bytes\":5", "\"status_code\":203");
    }

    @Test
    void closingTwiceWritesOneRecordAndReturnsOneLease() throws Exception {
        ExchangeRecorder recorder = recorder();
        recorder.close();
        recorder.close();
        recorder.releaseLease();

        assertThat(exchange.record()).contains("01J0");
        exchange.upload().onGone(DisconnectReason.LEFT);
        assertThat(exchange.record()).doesNotContain("01J0");
        assertThat(exchange.hasRecord()).isFalse();
    }

    /** An exchange that lasts for hours holds no slot, and still gets its record. */
    @Test
    void settlingDownReturnsTheSlotOnceAndKeepsTheRecord() throws Exception {
        int before = exchange.gate().available();
        ExchangeRecorder recorder = recorder();
        assertThat(exchange.gate().available()).isEqualTo(before - 1);

        recorder.settleDown();
        recorder.settleDown();
        assertThat(exchange.gate().available()).isEqualTo(before);

        recorder.close();
        exchange.loop();
        assertThat(exchange.record()).contains("01J0");
    }
}
