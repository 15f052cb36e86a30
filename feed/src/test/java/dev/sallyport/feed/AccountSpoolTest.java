package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/decisions.md, section 16: events of accounts that share a proxy; one of them has very many. */
@Timeout(60)
class AccountSpoolTest {

    private static final String NOISY = "org_noisy";
    private static final String QUIET = "org_quiet";
    private static final int BATCH = 500;
    private static final int MANY = 5_000;

    @TempDir
    Path folder;

    private final Set<String> held = new HashSet<>();
    private final Set<String> seen = new HashSet<>();
    private AccountSpool spool;
    private int added;

    private final class Taps implements AuditTaps {

        @Override
        public void sink(AuditSink sink) {}

        @Override
        public int slots() {
            return 1_000;
        }

        @Override
        public Runnable hold() {
            throw new AssertionError("everybody is held back");
        }

        @Override
        public Runnable hold(String organization) {
            assertThat(held.add(organization)).isTrue();
            return () -> held.remove(organization);
        }

        @Override
        public Runnable listen(AuditListener listener) {
            return () -> {};
        }
    }

    @BeforeEach
    void begin() throws Exception {
        spool = open(true, 64 << 20);
    }

    @AfterEach
    void end() throws Exception {
        spool.close();
    }

    private AccountSpool open(boolean onDisk, long capacity) throws IOException {
        return AccountSpool.open(
                new EventPlaces(onDisk ? folder.resolve("spool") : null, new byte[32], capacity), new Taps(), capacity);
    }

    private void use(boolean onDisk, long capacity) throws IOException {
        spool.close();
        spool = open(onDisk, capacity);
    }

    private static byte[] event(String account, int number, int size) {
        return ("{\"timestamp\":\"t\",\"workload\":\"\\\",\\\"account\\\":\\\"org_other\",\"account\":\"" + account
                        + "\",\"host\":\"h" + number + "." + "x".repeat(size) + "\"}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private void add(String account, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            spool.append(account, 1, event(account, added++, 200));
        }
        spool.flush();
    }

    /** The accounts of the next batch, which is delivered; of each number only once. */
    private List<String> deliver() throws IOException {
        EventSpool.Batch batch = spool.next(BATCH);
        if (batch == null) {
            return List.of();
        }
        return delivered(batch);
    }

    private List<String> delivered(EventSpool.Batch batch) {
        List<String> accounts = new ArrayList<>();
        for (int i = 0; i < batch.events().size(); i++) {
            assertThat(seen.add(batch.epoch() + ":" + (batch.first() + i))).isTrue();
            accounts.add(EventText.account(batch.events().get(i)));
        }
        spool.delivered(batch);
        return accounts;
    }

    private int deliverAll() throws IOException {
        int count = 0;
        for (List<String> batch = deliver(); !batch.isEmpty(); batch = deliver()) {
            count += batch.size();
        }
        return count;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eventsOfOthersDoNotWaitForThoseOfANoisyAccount(boolean onDisk) throws Exception {
        use(onDisk, 64 << 20);
        add(NOISY, MANY);
        add(QUIET, 1);

        List<String> first = deliver();
        first.addAll(deliver());

        assertThat(first).contains(QUIET);
        assertThat(first.size() + deliverAll()).isEqualTo(MANY + 1);
        assertThat(spool.bytes()).isZero();
    }

    /** What comes while many wait is delivered with the next batch but one, again and again. */
    @Test
    void othersHaveEveryOtherBatch() throws Exception {
        add(NOISY, MANY);
        deliver();
        for (int i = 0; i < 3; i++) {
            add(QUIET, BATCH);
            List<String> two = deliver();
            two.addAll(deliver());
            assertThat(two).contains(QUIET).contains(NOISY);
        }
        assertThat(spool.isBehind()).isTrue();
    }

    @Test
    void anAccountWhoseRoomIsFullIsHeldBackAlone() throws Exception {
        use(false, 4 << 20);
        while (held.isEmpty()) {
            add(NOISY, 10);
        }

        assertThat(held).containsExactly(NOISY);
        assertThat(spool.bytes()).as("there is as much left for others").isLessThan(spool.capacity() / 2);
        add(NOISY, 100); // of what is under way
        add(QUIET, 100);
        assertThat(held).containsExactly(NOISY);
        deliverAll();
        assertThat(held).isEmpty();
    }

    /** Others leave less, but never nothing: together they do not fill all. */
    @Test
    void manyNoisyAccountsTogetherLeaveRoom() throws Exception {
        use(false, 64 << 20);
        for (int i = 0; i < 12; i++) {
            String account = "org_" + i;
            while (!held.contains(account)) {
                add(account, 20);
            }
        }

        assertThat(spool.bytes()).isLessThan(spool.capacity() / 100 * 95);
        assertThat(deliverAll()).isEqualTo(added);
        assertThat(held).isEmpty();
    }

    @Test
    void thoseBeyondTheLanesWaitWithTheOthers() throws Exception {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 2 * AccountSpool.LANES; i++) {
                add("org_" + i, 400);
            }
            assertThat(deliverAll()).isEqualTo(2 * AccountSpool.LANES * 400);
        }
        assertThat(held).isEmpty();
    }

    @Test
    void whatDoesNotFitAtAllIsNotTaken() throws Exception {
        use(false, 1 << 20);

        assertThatThrownBy(() -> spool.append(QUIET, 1, event(QUIET, 1, 2 << 20)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Numbers go on, those of lanes too; an event that was not acknowledged is sent again with its own. */
    @Test
    void whatWaitsOutlivesTheProcess() throws Exception {
        add(NOISY, MANY);
        add(QUIET, 10);
        int count = deliver().size() + deliver().size() + deliver().size();
        EventSpool.Batch unanswered = spool.next(BATCH);
        assertThat(unanswered).isNotNull();

        use(true, 64 << 20);

        List<EventSpool.Batch> again = new ArrayList<>();
        for (EventSpool.Batch batch = spool.next(BATCH); batch != null; batch = spool.next(BATCH)) {
            again.add(batch);
            count += delivered(batch).size();
        }
        assertThat(count).isEqualTo(added);
        assertThat(again)
                .anyMatch(batch -> batch.epoch().equals(unanswered.epoch()) && batch.first() == unanswered.first());
        add(NOISY, 10);
        add(QUIET, 10);
        assertThat(deliverAll()).isEqualTo(20);
    }

    /** One that is refused is found by halves: until then, all else waits. */
    @Test
    void whatWasNotDeliveredComesAgainFirst() throws Exception {
        add(NOISY, MANY);
        add(QUIET, 1);
        EventSpool.Batch first = spool.next(BATCH);
        assertThat(first).isNotNull();

        EventSpool.Batch less = spool.next(10);

        assertThat(less).isNotNull();
        assertThat(less.epoch()).isEqualTo(first.epoch());
        assertThat(less.first()).isEqualTo(first.first());
        assertThat(less.events()).hasSize(10);
    }

    @Test
    void whatIsForgottenHoldsNobodyBack() throws Exception {
        use(false, 1 << 20);
        while (held.isEmpty()) {
            add(NOISY, 10);
        }

        spool.clear();

        assertThat(held).isEmpty();
        assertThat(spool.bytes()).isZero();
        assertThat(spool.next(BATCH)).isNull();
    }
}
