package dev.sallyport.benchmarks;

import dev.sallyport.toolkit.redact.Redaction;
import dev.sallyport.toolkit.redact.Redactor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Searches a response of 1 MiB for ten values, in pieces of 16 KiB, whose text somebody chose to be dear. One operation is
 * one body: operations a second are MiB a second. The first text is what the others are compared with.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EscapedTextBenchmark {

    private static final int MEBIBYTE = 1 << 20;
    private static final byte[] PLACEHOLDER = "SALLYPORT_PROXY_TOKEN".getBytes(StandardCharsets.US_ASCII);

    /** The text, again and again. */
    public enum Text {
        PLAIN("The quick brown fox jumps over the lazy dog, and then it sleeps. "),
        NUL("\0"),
        PERCENT("%"),
        AMPERSAND("&"),
        BACKSLASH("\\"),
        MIXED("\0%&\\"),
        MIXED_IN_TEXT("some\0text%with&many\\of"),
        HALF_PERCENT("%4"),
        PERCENT_ENCODED("%74%6f%6b%65%6e"),
        HALF_REFERENCE("&#x4"),
        REFERENCES("&#116;&#111;"),
        JSON_ENCODED("\\u0074\\u006f"),
        QUOTED("{\\\"key\\\":\\\"value\\\"},\\n"),
        UTF_16("t\0o\0k\0e\0n\0"),
        JSON("""
                {"id": 4711, "name": "A walk in the park", "text": "It rained,\\nand \\"nobody\\" was there; 5% were late.", "tags":
                ["walk", "park"], "path": "/users/17/walks/4711?from=home&to=park", "created_at": "2026-11-30T19:26:04Z"},
                """),
        HTML("""
                <li class="item"><a href="/walks/4711?from=home&amp;to=park">A walk in the park &#8211; it rained, and nobody
                was&nbsp;there</a> <span style="width: 95%">5% were late</span></li>
                """),
        AT_RANDOM(atRandom("\0", "%", "&", "\\", "a", "4", "#", "x", "\0a", "%41", "&#", "&amp;", "\\n", "\\u0041"));

        private final String unit;

        Text(String unit) {
            this.unit = unit;
        }

        /** So much that no processor learns what comes next. */
        private static String atRandom(String... parts) {
            Random random = new Random(1);
            StringBuilder text = new StringBuilder();
            while (text.length() < MEBIBYTE / 2) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            return text.toString();
        }
    }

    @Param
    public Text text = Text.PLAIN;

    private Redactor redactor = Redactor.of(List.of());
    private Pieces body = new Pieces(new byte[0]);

    @Setup
    public void prepare() {
        redactor = Redactor.of(Samples.bytes(Samples.placeholders(10)).stream()
                .map(value -> new Redaction(value, PLACEHOLDER))
                .toList());
        body = new Pieces(text.unit.repeat(MEBIBYTE / text.unit.length()).getBytes(StandardCharsets.ISO_8859_1));
    }

    /** No value in it. */
    @Benchmark
    public long search() {
        return body.through(redactor.body("text/plain", value -> {}));
    }
}
