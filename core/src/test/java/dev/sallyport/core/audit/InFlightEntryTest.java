package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InFlightEntryTest {

    private final InFlightEntry entry = new InFlightEntry();

    private static MutableAuditRecord begun() {
        return new MutableAuditRecord("exchange-1", 1_795_000_000_000L)
                .host("api.example.com")
                .port(65_535)
                .method("GET")
                .remoteAddr(new InetSocketAddress("2001:db8::1", 40_000))
                .workload("w\u00f6rk \ud83e\udd8a")
                .mode("mitm")
                .protocol("h2")
                .sni("api.example.com")
                .tunnelTarget("api.example.com:443");
    }

    private ByteBuffer taken(AuditRecord record) {
        int length = entry.take(record);
        assertThat(length).isLessThanOrEqualTo(InFlightEntry.BYTES);
        return ByteBuffer.wrap(Arrays.copyOf(entry.bytes(), length));
    }

    @Test
    void givesBackWhatItTook() {
        MutableAuditRecord record = begun().path("/a?b=\u20ac");

        ByteBuffer taken = taken(record);

        assertThat(InFlightEntry.isCut(taken)).isFalse();
        assertThat(InFlightEntry.record(taken)).usingRecursiveComparison().isEqualTo(record);
    }

    @Test
    void whatIsNotKnownStaysSo() {
        MutableAuditRecord record = new MutableAuditRecord("exchange-2", 0).sni("only.example");

        assertThat(InFlightEntry.record(taken(record)))
                .usingRecursiveComparison()
                .isEqualTo(record);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "\u00e4", "\u20ac", "\ud83e\udd8a"})
    void cutsAtACharacter(String character) {
        for (int before = 0; before < 4; before++) {
            String path = "/" + "x".repeat(before) + character.repeat(1000);

            ByteBuffer taken = taken(begun().path(path));

            MutableAuditRecord record = InFlightEntry.record(taken);
            assertThat(InFlightEntry.isCut(taken)).isTrue();
            assertThat(record).isNotNull();
            assertThat(path).startsWith(record.path());
            assertThat(record.path()).hasSizeGreaterThan(70);
        }
    }

    @Test
    void halfACharacterIsNone() {
        MutableAuditRecord record = InFlightEntry.record(taken(begun().path("/\ud83e!")));

        assertThat(record).isNotNull();
        assertThat(record.path()).isEqualTo("/\ufffd!");
    }

    @Test
    void hasRoomForAllThatIsLong() {
        String all = "x".repeat(10_000);

        ByteBuffer taken = taken(new MutableAuditRecord(all, 1)
                .host(all)
                .method(all)
                .protocol(all)
                .mode(all)
                .workload(all)
                .sni(all + "y")
                .tunnelTarget(all)
                .path(all));

        MutableAuditRecord record = InFlightEntry.record(taken);
        assertThat(InFlightEntry.isCut(taken)).isTrue();
        assertThat(record).isNotNull();
        assertThat(record.exchangeId()).hasSize(64);
        assertThat(record.host()).hasSize(255);
    }

    @Test
    void whatIsNoEntryIsNoRecord() {
        ByteBuffer taken = taken(begun());

        for (int length = 1; length < taken.limit(); length++) {
            assertThat(InFlightEntry.record(taken.duplicate().limit(length))).isNull();
        }
    }
}
