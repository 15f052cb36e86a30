package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What a listener of an embedding application reads. */
class AuditRecordTest {

    private static final InetSocketAddress CLIENT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final InetSocketAddress ORIGIN = new InetSocketAddress(InetAddress.getLoopbackAddress(), 2);

    @Test
    void eachGetterGivesWhatWasSet() {
        MutableAuditRecord record = new MutableAuditRecord("x1", 1_700_000_000_123L)
                .host("a.test")
                .port(8443)
                .method("PUT")
                .path("/p?q")
                .remoteAddr(CLIENT)
                .workload("w1")
                .sni("sni.test")
                .mode("mitm")
                .protocol("h2")
                .upstreamAddr(ORIGIN)
                .action(AuditRecord.Action.REJECT)
                .statusCode(418)
                .durationNanos(1_500)
                .requestBytes(11)
                .responseBytes(22)
                .tunnelTarget("t.test:443")
                .rejectedBy("judge")
                .stubbedBy("stub")
                .error("why")
                .endedBeforeRequest("client_tls_failed", "unknown_ca");

        assertThat(record.exchangeId()).isEqualTo("x1");
        assertThat(record.started()).isEqualTo(Instant.ofEpochMilli(1_700_000_000_123L));
        assertThat(record.host()).isEqualTo("a.test");
        assertThat(record.port()).isEqualTo(8443);
        assertThat(record.method()).isEqualTo("PUT");
        assertThat(record.path()).isEqualTo("/p?q");
        assertThat(record.remoteAddr()).isEqualTo(CLIENT);
        assertThat(record.workload()).isEqualTo("w1");
        assertThat(record.sni()).isEqualTo("sni.test");
        assertThat(record.mode()).isEqualTo("mitm");
        assertThat(record.protocol()).isEqualTo("h2");
        assertThat(record.upstreamAddr()).isEqualTo(ORIGIN);
        assertThat(record.action()).isEqualTo(AuditRecord.Action.REJECT);
        assertThat(record.level()).isEqualTo(AuditRecord.Level.WARN);
        assertThat(record.statusCode()).isEqualTo(418);
        assertThat(record.duration()).isEqualTo(Duration.ofNanos(1_500));
        assertThat(record.requestBytes()).isEqualTo(11);
        assertThat(record.responseBytes()).isEqualTo(22);
        assertThat(record.tunnelTarget()).isEqualTo("t.test:443");
        assertThat(record.rejectedBy()).isEqualTo("judge");
        assertThat(record.stubbedBy()).isEqualTo("stub");
        assertThat(record.error()).isEqualTo("why");
        assertThat(record.endedBy()).isEqualTo("client_tls_failed");
        assertThat(record.tlsAlert()).isEqualTo("unknown_ca");
    }

    @Test
    void whatWasNotSetIsEmpty() {
        MutableAuditRecord record = new MutableAuditRecord("x1", 0);

        assertThat(record.host() + record.method() + record.path() + record.workload() + record.sni())
                .isEmpty();
        assertThat(record.mode() + record.protocol() + record.endedBy() + record.tlsAlert())
                .isEmpty();
        assertThat(record.port() + record.statusCode()).isZero();
        assertThat(record.duration()).isZero();
        assertThat(record.remoteAddr()).isNull();
        assertThat(record.upstreamAddr()).isNull();
        assertThat(record.tunnelTarget()).isNull();
        assertThat(record.rejectedBy()).isNull();
        assertThat(record.stubbedBy()).isNull();
        assertThat(record.error()).isNull();
        assertThat(record.action()).as("until something else is said").isEqualTo(AuditRecord.Action.ERROR);
    }
}
