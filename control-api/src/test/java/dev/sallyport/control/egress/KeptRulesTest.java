package dev.sallyport.control.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Egress rules that need not be read again. */
class KeptRulesTest {

    @TempDir
    Path folder;

    private Store store;
    private EgressRules rules;
    private long now = -7; // by a clock that may have any origin
    private final KeptRules kept = new KeptRules(100, () -> now);

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        store.write(
                transaction -> transaction
                        .sql()
                        .execute(
                                "insert into organization (id, name, created_at) values ('org_a', 'A', 0), ('org_b', 'B', 0), ('org_c', 'C', 0)"));
        Ids ids = new Ids();
        rules = new EgressRules(store, ids, new AdminAudit(store, ids));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static Caller caller(String organization) {
        return new Caller(organization, "usr_a", "key_a", "127.0.0.1");
    }

    private String create(String organization, String host) {
        return rules.create(caller(organization), new EgressRuleDraft(null, host, null, null))
                .value()
                .id();
    }

    private void delete(String organization, String id) {
        rules.delete(caller(organization), id);
    }

    private List<AllowedRule> read(String organization) {
        return store.readAtOneMoment(handle -> kept.of(handle, organization));
    }

    /** As it would be without what is kept. */
    private List<AllowedRule> afresh(String organization) {
        return store.readAtOneMoment(handle -> new KeptRules(0, System::nanoTime).of(handle, organization));
    }

    @Test
    void whatHasComeAndGoneIsReadAndTheRestStays() {
        String first = create("org_a", "one.test");
        String second = create("org_a", "two.test");
        List<AllowedRule> before = read("org_a");
        String third = create("org_a", "three.test");
        delete("org_a", second);
        delete("org_a", create("org_a", "four.test"));

        List<AllowedRule> after = read("org_a");

        assertThat(after).extracting(AllowedRule::id).containsExactly(first, third);
        assertThat(after.getFirst()).isSameAs(before.getFirst());
        assertThat(after)
                .extracting(AllowedRule::json)
                .containsExactly("{\"host\":\"one.test\"}", "{\"host\":\"three.test\"}");
        assertThat(read("org_a")).isSameAs(after);
    }

    @Test
    void whateverChangesItIsAsReadAfresh() {
        Random random = new Random(7);
        List<String> organizations = List.of("org_a", "org_b");
        List<List<String>> present = List.of(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < 150; i++) {
            int whose = random.nextInt(2);
            List<String> ids = present.get(whose);
            if (!ids.isEmpty() && random.nextInt(3) == 0) {
                delete(organizations.get(whose), ids.remove(random.nextInt(ids.size())));
            } else {
                ids.add(create(organizations.get(whose), "h" + i + ".test"));
            }
            if (random.nextInt(3) == 0) {
                String organization = organizations.get(random.nextInt(2));
                assertThat(read(organization)).isEqualTo(afresh(organization));
            }
        }
    }

    /** Whoever changes the database without saying so is seen within a minute. */
    @Test
    void afterAMinuteAllIsReadAgain() {
        String first = create("org_a", "one.test");
        read("org_a");
        store.write(transaction -> transaction.sql().execute("update egress_rule set host = 'other.test'"));
        now += Duration.ofSeconds(59).toNanos();
        create("org_a", "two.test");
        assertThat(read("org_a")).extracting(AllowedRule::json).contains("{\"host\":\"one.test\"}");

        now += Duration.ofSeconds(2).toNanos();

        assertThat(read("org_a"))
                .extracting(AllowedRule::id, AllowedRule::json)
                .contains(tuple(first, "{\"host\":\"other.test\"}"));
    }

    @Test
    void noMoreAreKeptThanThereIsRoomForAndNoneForLong() {
        for (String organization : List.of("org_a", "org_b", "org_c")) {
            for (int i = 0; i < 40; i++) {
                create(organization, "h" + i + ".test");
            }
            now++;
            read(organization);
        }
        assertThat(kept.size()).isEqualTo(80);
        create("org_b", "more.test");
        read("org_b");
        assertThat(kept.size()).isEqualTo(81);

        now += Duration.ofMinutes(1).toNanos();
        kept.forgetOld();
        assertThat(kept.size()).isEqualTo(40); // it was read later
        now++;
        kept.forgetOld();
        assertThat(kept.size()).isZero();
    }
}
