package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.audit.AuditRecord.Action;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/decisions.md, section 14: the audit record, byte for byte. */
class RecordEncoderTest {

    /** 2026-03-04T05:06:07.089Z. */
    private static final long START = 1772600767089L;

    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void allowedExchange() throws Exception {
        MutableAuditRecord record = new MutableAuditRecord("0af3", START)
                .host("api.example.com")
                .port(443)
                .method("POST")
                .path("/v1/items?key=SALLYPORT_PROXY_KEY")
                .remoteAddr(new InetSocketAddress(InetAddress.getByName("10.0.0.7"), 50123))
                .workload("vm-1")
                .sni("api.example.com")
                .mode("mitm")
                .protocol("http/1.1")
                .upstreamAddr(new InetSocketAddress(InetAddress.getByName("2001:db8::1"), 443))
                .action(Action.ALLOW)
                .statusCode(201)
                .durationNanos(12_345_678)
                .requestBytes(17)
                .responseBytes(4096)
                .tunnelTarget("api.example.com:443");
        record.requestTrace("allowlist").durationNanos(4_000);
        TransformTrace secrets = record.requestTrace("secrets").durationNanos(1_500_999);
        secrets.annotate("swapped", List.of(Map.of("secret", "KEY")));
        record.responseTrace("secrets");

        assertThat(encode(record))
                .isEqualTo(
                        "{\"time\":\"2026-03-04T05:06:07.089Z\",\"level\":\"INFO\",\"msg\":\"request\",\"schema_version\":1,"
                                + "\"exchange_id\":\"0af3\",\"audit\":{\"host\":\"api.example.com\",\"port\":443,"
                                + "\"method\":\"POST\",\"path\":\"/v1/items?key=SALLYPORT_PROXY_KEY\","
                                + "\"remote_addr\":\"10.0.0.7:50123\",\"workload\":\"vm-1\",\"sni\":\"api.example.com\","
                                + "\"mode\":\"mitm\",\"protocol\":\"http/1.1\",\"upstream_addr\":\"[2001:db8::1]:443\","
                                + "\"action\":\"allow\",\"status_code\":201,\"duration_ms\":12.345,\"request_bytes\":17,"
                                + "\"response_bytes\":4096},\"tunnel\":{\"target\":\"api.example.com:443\"},"
                                + "\"request_transforms\":[{\"name\":\"allowlist\",\"action\":\"allow\",\"duration_ms\":0.004},"
                                + "{\"name\":\"secrets\",\"action\":\"allow\",\"duration_ms\":1.500,"
                                + "\"annotations\":{\"swapped\":[{\"secret\":\"KEY\"}]}}],"
                                + "\"response_transforms\":[{\"name\":\"secrets\",\"action\":\"allow\",\"duration_ms\":0.000}]}\n");
    }

    @Test
    void rejectedExchange() {
        MutableAuditRecord record = new MutableAuditRecord("1", 0)
                .action(Action.REJECT)
                .statusCode(403)
                .rejectedBy("allowlist");
        record.requestTrace("allowlist").action("reject");

        assertThat(encode(record))
                .isEqualTo(
                        "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"WARN\",\"msg\":\"request\",\"schema_version\":1,"
                                + "\"exchange_id\":\"1\",\"audit\":" + emptyAudit("reject", 403)
                                + ",\"rejected_by\":\"allowlist\",\"request_transforms\":[{\"name\":\"allowlist\","
                                + "\"action\":\"reject\",\"duration_ms\":0.000}],\"response_transforms\":[]}\n");
    }

    @Test
    void stubbedExchange() {
        MutableAuditRecord record = new MutableAuditRecord("1", 0)
                .action(Action.STUB)
                .statusCode(200)
                .stubbedBy("oauth_token");

        assertThat(encode(record))
                .isEqualTo(
                        "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"INFO\",\"msg\":\"request\",\"schema_version\":1,"
                                + "\"exchange_id\":\"1\",\"audit\":" + emptyAudit("stub", 200)
                                + ",\"stubbed_by\":\"oauth_token\",\"request_transforms\":[],\"response_transforms\":[]}\n");
    }

    @Test
    void failedExchange() {
        MutableAuditRecord record =
                new MutableAuditRecord("1", 0).statusCode(502).error("upstream_unreachable: refused");
        record.requestTrace("judge").action("error").error("timeout");

        assertThat(encode(record))
                .isEqualTo(
                        "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"ERROR\",\"msg\":\"request\",\"schema_version\":1,"
                                + "\"exchange_id\":\"1\",\"audit\":" + emptyAudit("error", 502)
                                + ",\"error\":\"upstream_unreachable: refused\",\"request_transforms\":[{\"name\":\"judge\","
                                + "\"action\":\"error\",\"duration_ms\":0.000,\"error\":\"timeout\"}],"
                                + "\"response_transforms\":[]}\n");
    }

    @Test
    void cancelledExchangeIsNoError() {
        MutableAuditRecord record = new MutableAuditRecord("1", 0).action(Action.CLIENT_CANCEL);

        assertThat(encode(record)).contains("\"level\":\"INFO\"").contains("\"action\":\"client_cancel\"");
    }

    @Test
    void namedGroupsComeLastInTheOrderOfTheSpecification() {
        MutableAuditRecord record = new MutableAuditRecord("1", 0).action(Action.ALLOW);
        TransformTrace trace = record.requestTrace("x");
        trace.group("zeta", Map.of("a", 1));
        trace.group("body_capture", Map.of("request_body", "hello"));
        trace.group("mcp", Map.of("server", "s"));

        assertThat(encode(record))
                .endsWith("\"response_transforms\":[],\"mcp\":{\"server\":\"s\"},"
                        + "\"body_capture\":{\"request_body\":\"hello\"},\"zeta\":{\"a\":1}}\n");
    }

    @ParameterizedTest
    @CsvSource({"ALLOW, WARN", "STUB, WARN", "CLIENT_CANCEL, WARN", "REJECT, WARN", "ERROR, ERROR"})
    void warningRaisesTheLevelAndNeverLowersIt(Action action, String level) {
        MutableAuditRecord record = new MutableAuditRecord("1", 0).action(action);

        record.requestTrace("allowlist").warn();

        assertThat(record.level()).hasToString(level);
    }

    @Test
    void aTransformCannotOverwriteWhatTheEngineSays() {
        TransformTrace trace = new MutableAuditRecord("1", 0).requestTrace("x");

        for (String name : List.of("time", "level", "audit", "exchange_id", "error", "request_transforms")) {
            assertThatThrownBy(() -> trace.group(name, Map.of())).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void valuesAreThoseOfTheMomentTheyWereGiven() {
        MutableAuditRecord record = new MutableAuditRecord("1", 0);
        List<String> list = new ArrayList<>(List.of("a"));
        Map<String, Object> map = new HashMap<>(Map.of("list", list));
        AtomicLong counter = new AtomicLong(1);
        TransformTrace trace = record.requestTrace("x");
        trace.annotate("map", map);
        trace.annotate("counter", counter);

        list.add("b");
        map.put("more", 1);
        counter.set(2);

        assertThat(encode(record)).contains("\"annotations\":{\"map\":{\"list\":[\"a\"]},\"counter\":1}");
    }

    @Test
    void valuesThatJsonDoesNotHaveAreRefusedWhereTheyAreGiven() {
        TransformTrace trace = new MutableAuditRecord("1", 0).requestTrace("x");
        List<Object> endless = new ArrayList<>();
        endless.add(endless);

        assertThatThrownBy(() -> trace.annotate("k", new Object())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> trace.annotate("k", Arrays.asList("a", null)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> trace.annotate("k", Map.of(1, 2))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> trace.annotate("k", endless)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void numbersKeepTheirValueAndThereIsNoNan() throws Exception {
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put("min", Long.MIN_VALUE);
        numbers.put("max", Long.MAX_VALUE);
        numbers.put("zero", 0);
        numbers.put("negative", -17);
        numbers.put("big", BigInteger.TWO.pow(100));
        numbers.put("decimal", new BigDecimal("12.50"));
        numbers.put("double", 0.1);
        numbers.put("tiny", Double.MIN_VALUE);
        numbers.put("nan", Double.NaN);
        numbers.put("infinite", Float.NEGATIVE_INFINITY);
        MutableAuditRecord record = new MutableAuditRecord("1", 0).group("numbers", numbers);

        JsonNode group = JSON.readTree(encode(record)).get("numbers");

        assertThat(group.get("min").longValue()).isEqualTo(Long.MIN_VALUE);
        assertThat(group.get("max").longValue()).isEqualTo(Long.MAX_VALUE);
        assertThat(group.get("zero").intValue()).isZero();
        assertThat(group.get("negative").intValue()).isEqualTo(-17);
        assertThat(group.get("big").bigIntegerValue()).isEqualTo(BigInteger.TWO.pow(100));
        assertThat(group.get("decimal").doubleValue()).isEqualTo(12.5);
        assertThat(group.get("double").doubleValue()).isEqualTo(0.1);
        assertThat(group.get("tiny").doubleValue()).isEqualTo(Double.MIN_VALUE);
        assertThat(group.get("nan").isNull()).isTrue();
        assertThat(group.get("infinite").isNull()).isTrue();
    }

    @Test
    void stringsOfEveryKindComeBackAsTheyWere() throws Exception {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        Random random = new Random(seed);
        JsonBuffer buffer = new JsonBuffer(16);
        for (int round = 0; round < 5_000; round++) {
            String text = randomText(random);

            buffer.truncate(0);
            buffer.string(text);

            byte[] bytes = new byte[buffer.size()];
            buffer.view().get(bytes);
            assertThat(JSON.readValue(bytes, String.class)).as("seed %d", seed).isEqualTo(wellFormed(text));
            for (byte b : bytes) {
                assertThat(b >= 0 && b < 0x20)
                        .as("control characters, seed %d", seed)
                        .isFalse();
            }
        }
    }

    @Test
    void pairsOfSurrogatesSurviveTheBordersOfPieces() throws Exception {
        for (int length = 4090; length < 4100; length++) {
            for (String lead : List.of("", "\uD83D", "\uDE00")) {
                String text = "a".repeat(length) + lead + "\uD83D\uDE00" + "b".repeat(4096) + "\uD83D";
                JsonBuffer buffer = new JsonBuffer(16).string(text);
                byte[] bytes = new byte[buffer.size()];
                buffer.view().get(bytes);

                assertThat(JSON.readValue(bytes, String.class)).isEqualTo(wellFormed(text));
            }
        }
    }

    private static String randomText(Random random) {
        int length = random.nextInt(random.nextInt(20) == 0 ? 9_000 : 40);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            switch (random.nextInt(6)) {
                case 0 -> text.append((char) random.nextInt(0x20));
                case 1 -> text.append("\"\\/<>\u007F\u2028\u2029".charAt(random.nextInt(8)));
                case 2 -> text.append((char) (0xD800 + random.nextInt(0x800)));
                case 3 -> text.appendCodePoint(0x10000 + random.nextInt(0x100000));
                case 4 -> text.append((char) random.nextInt(0x10000));
                default -> text.append((char) (0x20 + random.nextInt(0x5F)));
            }
        }
        return text.toString();
    }

    /** The string with U+FFFD in the place of each surrogate without its partner. */
    private static String wellFormed(String text) {
        StringBuilder formed = new StringBuilder(text.length());
        text.codePoints()
                .forEach(point -> formed.appendCodePoint(
                        point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 0xFFFD : point));
        return formed.toString();
    }

    private static String emptyAudit(String action, int status) {
        return "{\"host\":\"\",\"port\":0,\"method\":\"\",\"path\":\"\",\"remote_addr\":\"\",\"workload\":\"\","
                + "\"sni\":\"\",\"mode\":\"\",\"protocol\":\"\",\"upstream_addr\":\"\",\"action\":\"" + action
                + "\",\"status_code\":" + status
                + ",\"duration_ms\":0.000,\"request_bytes\":0,\"response_bytes\":0}";
    }

    private static String encode(MutableAuditRecord record) {
        JsonBuffer buffer = new JsonBuffer(16);
        new RecordEncoder(buffer).encode(record);
        return StandardCharsets.UTF_8.decode(buffer.view()).toString();
    }
}
