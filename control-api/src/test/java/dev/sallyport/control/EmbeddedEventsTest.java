package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.feed.EmbeddedEvents;
import dev.sallyport.control.feed.EventOwner;
import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.spi.GateVerdict;
import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records of the proxy in the same process on their way to the database. */
@Timeout(180)
class EmbeddedEventsTest {

    private static final String EXPORT = "/v1/audit/egress/export";

    private final TestControl control = TestControl.with(TestControl.NO_LIMITS);
    private final Api api = control.newAccount();
    private final AtomicInteger holds = new AtomicInteger();
    private final EmbeddedEvents events = new EmbeddedEvents(new Taps());

    private final class Taps implements AuditTaps {

        @Override
        public void sink(AuditSink sink) {}

        @Override
        public int slots() {
            return 8_192;
        }

        @Override
        public Runnable hold() {
            holds.incrementAndGet();
            return holds::decrementAndGet;
        }

        @Override
        public Runnable hold(String organization) {
            return hold();
        }

        @Override
        public Runnable listen(AuditListener listener) {
            return () -> {};
        }
    }

    @AfterEach
    void end() {
        events.end();
        control.close();
    }

    private void start() {
        EventOwner owner = new EventOwner(EgressEvents.organization(api), null);
        events.start(control.events(), workload -> workload.isEmpty() ? owner : null);
    }

    private MutableAuditRecord record(String host, String workload) {
        return new MutableAuditRecord("x", control.clock().millis())
                .host(host)
                .method("GET")
                .protocol("http/1.1")
                .workload(workload)
                .action(AuditRecord.Action.ALLOW)
                .verdict("allowlist", GateVerdict.allowed(false, null));
    }

    private List<AuditRecord> records(int from, int many) {
        List<AuditRecord> records = new ArrayList<>();
        for (int i = from; i < from + many; i++) {
            records.add(record("h" + i + ".test", ""));
        }
        return records;
    }

    private long stored() {
        return api.get(EXPORT).text().lines().count();
    }

    private void untilStored(long many) {
        await().atMost(Patience.seconds(60))
                .untilAsserted(() -> assertThat(stored()).isEqualTo(many));
    }

    @Test
    void whatNoAccountHasJudgedIsNobodysEvent() throws Exception {
        start();
        events.take(List.of(record("mine.test", ""), record("files.test", "workload of the file")));
        events.flush();

        untilStored(1);
        assertThat(api.get(EXPORT).text()).contains("mine.test").doesNotContain("files.test");
    }

    /** Such as 407, and callers that two workloads claim: the default account has not sent it. */
    @Test
    void whatWasRefusedToNobodyKnownIsNobodysEvent() throws Exception {
        start();
        events.take(List.of(
                record("mine.test", ""),
                record("nobodys.test", "").action(AuditRecord.Action.REJECT).untold(true)));
        events.flush();

        untilStored(1);
        assertThat(api.get(EXPORT).text()).contains("mine.test").doesNotContain("nobodys.test");
    }

    /** A slow database holds back exactly as a full spool does. */
    @Tag("long")
    @Test
    void aDatabaseThatTakesNothingHoldsExchangesBackAndLosesNothing() throws Exception {
        start();
        int offered = 0;
        List<AuditRecord> beyond;
        try (Connection lock = control.lockEvents()) {
            while (holds.get() == 0) {
                events.take(records(offered, 500));
                events.flush();
                offered += 500;
            }
            assertThat(offered).isBetween(17_000, 22_000); // a third of all
            assertThat(holds).hasValue(1);
            assertThat(events.ready()).isTrue();

            // what is under way still fits, up to a limit
            events.take(records(offered, 1_000));
            offered += 1_000;
            beyond = records(offered, 50_000);
            List<AuditRecord> many = beyond;
            assertThatThrownBy(() -> events.take(many)).isInstanceOf(IOException.class);
            assertThat(lock.isClosed()).isFalse();
        }

        List<AuditRecord> again = beyond;
        await().atMost(Patience.seconds(60))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> {
                    events.take(again); // they are offered again
                    return true;
                });
        events.flush();
        untilStored(offered + 50_000L);
        assertThat(holds).hasValue(0);
        assertThat(events.ready()).isTrue();
    }

    @Test
    void whatWaitsIsStoredAtTheEnd() throws Exception {
        start();
        events.take(records(0, 3_000));

        events.end();

        assertThat(stored()).isEqualTo(3_000);
    }
}
