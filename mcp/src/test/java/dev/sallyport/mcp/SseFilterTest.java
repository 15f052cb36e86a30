package dev.sallyport.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.spi.LateRejectException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of events, however they are cut. */
class SseFilterTest {

    private static final int LIMIT = 100_000;
    private static final int ROUNDS = 4000;
    private static final String[] ENDS = {"\n", "\r\n", "\r"};
    private static final String LISTED = "{\"name\":\"yes\",\"description\":\"d\u00e9\"}";
    private static final String UNLISTED = "{\"description\":\"\\\"tools\\\"\",\"name\":\"no\"}";

    /** An event, and what becomes of it. */
    private record Pair(String in, String out) {}

    private static SseFilter filter(int limit) {
        return Streams.filter(limit, "yes");
    }

    private static String whole(String stream) {
        return Streams.run(filter(LIMIT), stream, () -> Integer.MAX_VALUE);
    }

    private static String result(String member, String... items) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"nextCursor\":\"c\",\"" + member + "\":["
                + String.join(",", items) + "],\"_meta\":{}}}";
    }

    @Test
    void aSeededStreamComesOutAsItsEventsSayHoweverItIsCut() {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            StringBuilder in = new StringBuilder();
            StringBuilder out = new StringBuilder();
            if (random.nextInt(4) == 0) {
                in.append('\ufeff');
                out.append('\ufeff');
            }
            for (int i = random.nextInt(8); i >= 0; i--) {
                Pair pair = event(random);
                in.append(pair.in());
                out.append(pair.out());
            }
            int most = 1 + random.nextInt(random.nextBoolean() ? 4 : 200);
            String is = Streams.run(filter(LIMIT), in.toString(), () -> 1 + random.nextInt(most));
            assertThat(is).as("seed %d, round %d, in:%n%s", seed, round, in).isEqualTo(out.toString());
        }
    }

    private static Pair event(Random random) {
        String end = ENDS[random.nextInt(ENDS.length)];
        List<String> in = new ArrayList<>();
        List<String> out = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            String field = List.of("id: 7", "event: message", "retry: 10", ": \"tools\" in a comment", "nonsense", ":")
                    .get(random.nextInt(6));
            in.add(field);
            out.add(field);
        }
        data(random, in, out);
        String tail = end + ENDS[random.nextInt(ENDS.length)];
        // What is changed is written with line feeds.
        return new Pair(lines(in, end, tail), in.equals(out) ? lines(in, end, tail) : lines(out, "\n", "\n\n"));
    }

    /** A CR as the end of the last line, and a LF as that of the empty one, are one line break: there has to be another. */
    private static String lines(List<String> lines, String end, String tail) {
        String all = String.join(end, lines) + tail;
        return tail.equals("\r\n") ? all + "\n" : all;
    }

    private static void data(Random random, List<String> in, List<String> out) {
        String space = random.nextBoolean() ? " " : "";
        switch (random.nextInt(7)) {
            case 0 -> both("data:" + space + "plain text with \"tools\"", in, out);
            case 1 -> both("data:" + space + "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}", in, out);
            case 2 -> {
                both("data:" + space + "{\"jsonrpc\":\"2.0\",", in, out);
                both("data:" + space + "\"id\":3,\"result\":{\"content\":\"\\u006e\"}}", in, out);
            }
            case 3 -> {
                in.add("data:" + space + result("tools", LISTED, UNLISTED, LISTED));
                out.add("data:" + space + result("tools", LISTED, LISTED));
            }
            case 4 -> {
                in.add("data:" + space + "[" + result("to\\u006fls", UNLISTED) + "," + result("other", UNLISTED) + "]");
                out.add("data:" + space + "[" + result("to\\u006fls") + "," + result("other", UNLISTED) + "]");
            }
            case 5 -> {
                in.add("data:" + space + "{\"id\":1,");
                in.add("data:" + space + "\"result\":{\"tools\":[ " + UNLISTED + " ,");
                in.add("data:" + space + LISTED + "]}}");
                out.add("data:" + space + "{\"id\":1,");
                out.add("data:" + space + "\"result\":{\"tools\":[" + LISTED + "]}}");
            }
            default -> both("data", in, out);
        }
    }

    private static void both(String line, List<String> in, List<String> out) {
        in.add(line);
        out.add(line);
    }

    @Test
    void aStreamMayBeCutAtEveryByte() {
        String stream = "\ufeff: hello\n\nid: 1\r\ndata: " + result("tools", UNLISTED, LISTED)
                + "\r\n\r\nevent: x\rdata: \u00e9\r\rdata: " + result("tools", UNLISTED) + "\n\n";
        String expected = "\ufeff: hello\n\nid: 1\ndata: " + result("tools", LISTED)
                + "\n\nevent: x\rdata: \u00e9\r\rdata: " + result("tools") + "\n\n";
        byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
        for (int cut = 1; cut < bytes.length; cut++) {
            int[] sizes = {cut, bytes.length};
            int[] next = {0};
            assertThat(Streams.run(filter(LIMIT), bytes, () -> sizes[next[0]++]))
                    .as("cut at %d", cut)
                    .isEqualTo(expected);
        }
    }

    @Test
    void anEventWithoutItsEndIsJudgedLikeOthers() {
        assertThat(whole("data: " + result("tools", UNLISTED))).isEqualTo("data: " + result("tools"));
        assertThat(whole("data: " + result("tools", UNLISTED) + "\n")).isEqualTo("data: " + result("tools") + "\n");
    }

    @Test
    void noLineBreakIsMadeOfTwo() {
        assertThat(whole("\ufeffdata: {\"result\":\ndata: {\"tools\":[" + UNLISTED + "]}}\n\n"))
                .isEqualTo("\ufeffdata: {\"result\":\ndata: {\"tools\":[]}}\n\n");
        assertThat(whole("data: {\"result\":\nid: 1\rdata: {\"tools\":[" + UNLISTED + "]}}\n\ndata: x\n\n"))
                .isEqualTo("data: {\"result\":\ndata: {\"tools\":[]}}\nid: 1\n\ndata: x\n\n");
    }

    @Test
    void changedSaysWhetherAnythingWas() {
        SseFilter filter = filter(LIMIT);
        Streams.run(filter, "data: " + result("tools", LISTED) + "\n\ndata: x\n\n", () -> 5);
        assertThat(filter.changed()).isFalse();

        filter = filter(LIMIT);
        Streams.run(filter, "data: " + result("tools", UNLISTED) + "\n\n", () -> 5);
        assertThat(filter.changed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data: {\"id\":1,\"result\":{\"tools\":[{\"name\":\"no\"}]},\"id\":2}\n\n",
                "data: {\"id\":1,\"result\":{\"tools\":[{\"name\":\"no\"}]}}}\n\n",
                "data: {\"id\":1,\"result\":{\"Tools\":[{\"name\":\"no\"}]}}\n\n",
                "data: {\"id\":1,\"result\":{\"TOOL\u017f\":[{\"name\":\"no\"}]}}\n\n",
                "data: {\"id\":1,\"Result\":{\"tools\":[{\"name\":\"no\"}]}}\n\n",
                "data: {\"id\":1,\"result\":{\"tools\":{\"0\":{\"name\":\"no\"}}}}\n\n",
                "data: // c\ndata: {\"id\":1,\"result\":{\"tools\":[{\"name\":\"no\"}]}}\n\n",
                "data: x\u2028\u2028data: {\"id\":1,\"result\":{\"tools\":[{\"name\":\"no\"}]}}\n\n",
                "data: x\u000b\u000bdata: {\"id\":1,\"result\":{\"tools\":[{\"name\":\"no\"}]}}\n\n"
            })
    void anEventThatMayHoldAListAndCannotBeReadBreaksTheStreamOff(String stream) {
        for (int size : new int[] {1, 3, 1000}) {
            assertThatExceptionOfType(LateRejectException.class)
                    .isThrownBy(() -> Streams.run(filter(LIMIT), stream, () -> size))
                    .satisfies(e -> assertThat(e.reject().code()).isEqualTo("mcp_unreadable_response"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 1000})
    void aListBehindAByteOrderMarkIsFiltered(int size) {
        String stream = "data: \ufeff{\"id\":1,\"result\":{\"tools\":[{\"name\":\"no\"}]}}\n\n";

        assertThat(Streams.run(filter(LIMIT), stream, () -> size))
                .isEqualTo("data: \ufeff{\"id\":1,\"result\":{\"tools\":[]}}\n\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 50, 5000})
    void aLongEventWithoutAListPasses(int size) {
        String stream =
                "data: " + "x".repeat(3000) + "\ndata: y\n\ndata: z\n\n" + "data: " + "y".repeat(3000) + "\r\n\r\n";
        assertThat(Streams.run(filter(100), stream, () -> size)).isEqualTo(stream);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 50, 5000})
    void aLongEventWithAListIsBrokenOffBeforeItsEnd(int size) {
        for (int before : new int[] {0, 90, 95, 98, 200, 3000}) {
            String stream = "data: " + " ".repeat(before) + result("tools", UNLISTED) + " ".repeat(3000) + "\n\n";
            assertThatExceptionOfType(LateRejectException.class)
                    .as("%d before", before)
                    .isThrownBy(() -> Streams.run(filter(100), stream, () -> size));
        }
    }

    @Test
    void afterALongEventTheNextOneIsJudged() {
        String stream = "data: " + "x".repeat(300) + "\n\ndata: " + result("tools", UNLISTED) + "\n\n";
        for (int size = 1; size < 400; size++) {
            int each = size;
            assertThat(Streams.run(filter(150), stream, () -> each)).isEqualTo(stream.replace(UNLISTED, ""));
        }
    }

    @Test
    void anItemThatIsNoToolWithANameIsTakenOut() {
        assertThat(whole("data: " + result("tools", "1", "{}", "{\"name\":1}", "{\"name\":\"yes\",\"Name\":\"no\"}")
                        + "\n\n"))
                .isEqualTo("data: " + result("tools") + "\n\n");
    }
}
