package dev.sallyport.core.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Principal;
import dev.sallyport.toolkit.match.IpRange;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who is selected (docs/spec/decisions.md, section 16), and that a change leaves the table before it as it was. */
class WorkloadTableTest {

    private WorkloadTable<String> table = WorkloadTable.empty();

    private static Workload<String> workload(String name, List<String> ranges, String... users) {
        return new Workload<>(
                name,
                Workload.Selectors.of(ranges.stream().map(IpRange::parse).toList(), List.of(users)),
                Map.of(),
                name);
    }

    private void add(String name, List<String> ranges, String... users) {
        table = table.with(workload(name, ranges, users));
    }

    private String select(String address, @Nullable String user) throws Exception {
        Principal found = table.select(SourceAddress.of(InetAddress.getByName(address)), user);
        return found == null ? "nobody" : found.workload().isEmpty() ? found.source() : found.workload();
    }

    @Test
    void nothingClaimsAnybodyInAnEmptyTable() throws Exception {
        assertThat(select("10.0.0.1", null)).isEqualTo("nobody");
        assertThat(select("10.0.0.1", "alice")).isEqualTo("nobody");
    }

    @Test
    void theLongestPrefixDecidesAndNoShorterOneIsTried() throws Exception {
        add("wide", List.of("10.0.0.0/8"));
        add("narrow", List.of("10.1.0.0/16"), "alice");

        assertThat(select("10.2.0.1", null)).isEqualTo("wide");
        assertThat(select("10.1.0.1", "alice")).isEqualTo("narrow");
        assertThat(select("10.1.0.1", null)).isEqualTo("unknown_workload");
        assertThat(select("10.1.0.1", "carol")).isEqualTo("unknown_workload");
        assertThat(select("11.0.0.1", null)).isEqualTo("nobody");
    }

    @Test
    void whoHasBothSelectorsMustMatchBoth() throws Exception {
        add("both", List.of("10.0.0.0/8"), "alice");

        assertThat(select("11.0.0.1", "alice")).isEqualTo("nobody");
    }

    @Test
    void aUserOfOneAtAnAddressOfAnotherIsAmbiguous() throws Exception {
        add("here", List.of("10.0.0.0/8"));
        add("there", List.of("11.0.0.0/8"), "alice");
        add("anywhere", List.of(), "bob");

        assertThat(select("10.0.0.1", "alice")).isEqualTo("ambiguous_workload");
        assertThat(select("10.0.0.1", "bob")).isEqualTo("ambiguous_workload");
        assertThat(select("11.0.0.1", "bob")).isEqualTo("ambiguous_workload");
        assertThat(select("10.0.0.1", "carol")).isEqualTo("here");
        assertThat(select("12.0.0.1", "bob")).isEqualTo("anywhere");
    }

    @Test
    void twoThatMatchAreAmbiguous() throws Exception {
        add("one", List.of(), "alice");
        add("two", List.of(), "alice");
        add("three", List.of("10.0.0.0/8"), "alice");

        assertThat(select("12.0.0.1", "alice")).isEqualTo("ambiguous_workload");
        assertThat(select("10.0.0.1", "alice")).isEqualTo("ambiguous_workload");
    }

    @Test
    void equalPrefixesWithDisjointUsersAreTwo() throws Exception {
        add("a", List.of("10.0.0.0/8"), "alice");
        add("b", List.of("10.0.0.0/8"), "bob");

        assertThat(select("10.0.0.1", "alice")).isEqualTo("a");
        assertThat(select("10.0.0.1", "bob")).isEqualTo("b");
        assertThat(table.clashes(workload("c", List.of("10.0.0.0/8"), "carol"))).isEmpty();
        assertThat(table.clashes(workload("c", List.of("10.0.0.0/8"), "bob"))).containsExactly("b");
        assertThat(table.clashes(workload("c", List.of("10.0.0.0/8")))).containsExactly("a", "b");
    }

    @Test
    void manyWithOnePrefixAreFoundByTheirUsers() throws Exception {
        List<String> range = List.of("10.0.0.0/8");
        for (int i = 0; i < 1000; i++) {
            add("w" + i, range, "first-" + i, "second-" + i);
        }
        WorkloadTable<String> full = table;
        for (int i = 0; i < 1000; i += 2) {
            table = table.without("w" + i);
        }

        assertThat(select("10.0.0.1", "second-501")).isEqualTo("w501");
        assertThat(select("10.0.0.1", "second-500")).isEqualTo("unknown_workload");
        assertThat(select("10.0.0.1", null)).isEqualTo("unknown_workload");
        assertThat(table.clashes(workload("new", range, "second-501", "first-500")))
                .containsExactly("w501");
        assertThat(table.clashes(workload("new", range))).hasSize(500);
        for (int i = 1; i < 1000; i += 2) {
            table = table.without("w" + i);
        }
        assertThat(select("10.0.0.1", "second-501")).isEqualTo("nobody");
        table = full;
        assertThat(select("10.0.0.1", "second-500")).isEqualTo("w500");
        add("anybody", range);
        assertThat(select("10.0.0.1", "second-500")).isEqualTo("ambiguous_workload");
        assertThat(select("10.0.0.1", null)).isEqualTo("anybody");
    }

    @Test
    void aUserOfManyIsToldByTheAddress() throws Exception {
        for (int i = 0; i < 200; i++) {
            add("w" + i, List.of("10.0." + i + ".0/24"), "alice");
        }

        assertThat(select("10.0.150.1", "alice")).isEqualTo("w150");
        assertThat(select("10.1.0.1", "alice")).isEqualTo("nobody");
        add("anywhere", List.of(), "alice");
        assertThat(select("10.1.0.1", "alice")).isEqualTo("anywhere");
        assertThat(select("10.0.150.1", "alice")).isEqualTo("ambiguous_workload");
        table = table.without("w150");
        assertThat(select("10.0.150.1", "alice")).isEqualTo("anywhere");
    }

    @Test
    void aMappedAddressIsTheOneInIt() throws Exception {
        add("four", List.of("10.0.0.0/8"));
        add("six", List.of("2001:db8::/32"));
        add("all", List.of("::/0"));

        assertThat(select("::ffff:10.1.2.3", null)).isEqualTo("four");
        assertThat(select("2001:db8::1", null)).isEqualTo("six");
        assertThat(select("2001:db9::1", null)).isEqualTo("all");
        assertThat(select("11.0.0.1", null)).isEqualTo("nobody");
    }

    @Test
    void aPasswordThatCameWithTwoWorkloadsOpensNeitherUnlessItIsTheSame() {
        byte[] one = new byte[32];
        byte[] two = new byte[32];
        two[0] = 1;
        table = table.with(withDigest("a", "10.0.0.0/8", one));
        assertThat(table.digest("u")).isEqualTo(one);
        table = table.with(withDigest("b", "11.0.0.0/8", two));
        assertThat(table.digest("u")).isNull();
        assertThat(table.clashes(withDigest("b", "11.0.0.0/8", two))).containsExactly("a");
        table = table.without("a");
        assertThat(table.digest("u")).isEqualTo(two);
        assertThat(table.hasPasswords()).isTrue();
        assertThat(table.without("b").hasPasswords()).isFalse();
    }

    @Test
    void aPasswordThatIsEnoughTellsItsUserUnlessSeveralHaveIt() {
        byte[] one = new byte[32];
        byte[] two = new byte[32];
        two[0] = (byte) 0xFF;
        table = table.with(keyed("a", "key-1", one)).with(keyed("b", "key-2", two));
        assertThat(table.userOf(one)).isEqualTo("key-1");
        assertThat(table.userOf(two.clone())).isEqualTo("key-2");
        assertThat(table.userOf(new byte[31])).isNull();
        WorkloadTable<String> before = table;

        table = table.with(keyed("c", "key-3", one));
        assertThat(table.userOf(one)).isNull();
        assertThat(before.userOf(one)).isEqualTo("key-1");
        table = table.without("a");
        assertThat(table.userOf(one)).isEqualTo("key-3");
        assertThat(table.with(withDigest("c", "10.0.0.0/8", one)).userOf(one)).isNull();
    }

    private static Workload<String> keyed(String name, String user, byte[] digest) {
        return new Workload<>(
                name, new Workload.Selectors(List.of(), Map.of(user, digest), Set.of(user)), Map.of(), name);
    }

    private static Workload<String> withDigest(String name, String range, byte[] digest) {
        return new Workload<>(
                name, new Workload.Selectors(List.of(IpRange.parse(range)), Map.of("u", digest)), Map.of(), name);
    }

    @Test
    void theSameCallerHasTheSamePrincipalEachTime() {
        add("w", List.of("10.0.0.0/8"));
        SourceAddress address = new SourceAddress(true, 10L << 56, 0);

        assertThat(table.select(address, null)).isSameAs(table.select(address, null));
        assertThat(table.select(address, "carol")).isSameAs(table.select(address, "carol"));
        assertThat(Callers.userOf(Objects.requireNonNull(table.select(address, "carol"))))
                .isEqualTo("carol");
    }

    /** Against a list that is searched from end to end. */
    @Test
    void manyChangesInAnyOrderSelectAsAListWould() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Map<String, IpRange> model = new HashMap<>();
        List<WorkloadTable<String>> before = new ArrayList<>();
        for (int round = 0; round < 3000; round++) {
            String name = "w" + random.nextInt(300);
            if (random.nextInt(3) == 0) {
                model.remove(name);
                table = table.without(name);
            } else {
                IpRange range = range(random);
                if (!model.containsValue(range)) {
                    model.put(name, range);
                    table = table.with(workload(name, List.of(range.toString())));
                }
            }
            assertThat(table.size()).isEqualTo(model.size());
            byte[] asked = address(random);
            assertThat(select(InetAddress.getByAddress(asked).getHostAddress(), null))
                    .isEqualTo(longest(model, asked));
            if (round % 500 == 0) {
                before.add(table);
            }
        }
        WorkloadTable<String> last = table;
        for (Workload<String> workload : List.copyOf(last.all())) {
            table = table.without(workload.name());
        }
        assertThat(table.size()).isZero();
        assertThat(last.size()).isEqualTo(model.size());
        assertThat(before.getFirst().size()).isLessThanOrEqualTo(1);
    }

    private static byte[] address(Random random) {
        byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) random.nextInt(3);
        }
        bytes[0] = (byte) (10 + random.nextInt(2));
        return bytes;
    }

    private static IpRange range(Random random) throws Exception {
        byte[] bytes = address(random);
        int length = random.nextInt(bytes.length * 8 + 1);
        for (int bit = length; bit < bytes.length * 8; bit++) {
            bytes[bit / 8] &= (byte) ~(0x80 >> bit % 8);
        }
        return IpRange.parse(InetAddress.getByAddress(bytes).getHostAddress() + "/" + length);
    }

    private static String longest(Map<String, IpRange> model, byte[] address) throws Exception {
        InetAddress asked = InetAddress.getByAddress(Arrays.copyOf(address, address.length));
        String found = "nobody";
        int length = -1;
        for (Map.Entry<String, IpRange> entry : model.entrySet()) {
            if (entry.getValue().contains(asked) && entry.getValue().prefixLength() > length) {
                length = entry.getValue().prefixLength();
                found = entry.getKey();
            }
        }
        return found;
    }
}
